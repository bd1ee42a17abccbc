/**
 * Shares: what their tokens permit at the addresses of the API, what they refuse, and when they end.
 */
import { describe, expect, it } from "vitest"
import { describeEach } from "../support/EachDatabase.ts"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import type { TestServer } from "../support/TestServer.ts"

interface Share {
  readonly id: string
  readonly token: string
  readonly url: string
  readonly downloads: number
  readonly uploadedFiles: number
  readonly uploadedBytes: number
  readonly hasPassword: boolean
  readonly createdBy: { readonly member: { readonly id: string } }
}

describeEach("shares", (current) => {
  /** A bucket with two files in a folder and one beside it. */
  const setUp = async () => {
    const server = current()
    const bucket = await server.makeBucket()
    const base = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}`
    const [a, b, outside] = [
      await server.makeFile(bucket, "content of a", { name: "a.txt", path: "/in/" }),
      await server.makeFile(bucket, "content of b", { name: "b.txt", path: "/in/deep/" }),
      await server.makeFile(bucket, "outside", { name: "c.txt", path: "/out/" })
    ]
    const create = async (input: object, key?: string) => {
      const answer = await server.post(`${base}/shares`, {
        json: { name: "A share", ...input },
        ...(key === undefined ? {} : { key })
      })
      expect(answer.status, await answer.clone().text()).toBe(201)
      return json<Share>(answer)
    }
    const use = (share: Share, method: string, path: string, init: RequestInit = {}) =>
      fetch(`${server.baseUrl}${base}${path}${path.includes("?") ? "&" : "?"}apiKey=${share.token}`, {
        method,
        redirect: "manual",
        ...init
      })
    const read = (share: Share, file: { readonly id: string }, action = "view", init: RequestInit = {}) =>
      use(share, "GET", `/files/${file.id}/${action}`, init)
    return { server, bucket, base, a, b, outside, create, use, read }
  }

  const text = async (answer: Response) => [answer.status, await answer.text()]

  const memberKey = async (server: TestServer, tenantId: string, role: "Admin" | "File Writer") =>
    server.makeToken(tenantId, role)

  describe("reading", () => {
    it("folder → its files and those below it; no other file, no record, no list, no change", async () => {
      const { a, b, create, outside, read, use } = await setUp()
      const share = await create({ path: "/in/" })
      expect(share.token).toMatch(/^hfs_[A-Za-z0-9_-]{43}$/)
      expect(share.url).toBe(`/s/${share.id}#${share.token}`)
      expect(await text(await read(share, a))).toEqual([200, "content of a"])
      expect(await text(await read(share, b, "download", { headers: { range: "bytes=0-6" } }))).toEqual([
        206,
        "content"
      ])
      await expectProblem(await read(share, outside), 404, "not_found")
      for (const [method, path] of [
        ["GET", `/files/${a.id}`],
        ["GET", "/files"],
        ["DELETE", `/files/${a.id}`],
        ["POST", `/files/${a.id}/reupload`],
        ["PUT", "/files/upload?name=x"],
        ["GET", "/shares"]
      ] as const) {
        await expectProblem(await use(share, method, path), 401, "unauthenticated")
      }
    })

    it("file with may view → that file and action only, also after a move", async () => {
      const { a, b, base, create, read, server } = await setUp()
      const share = await create({ fileId: a.id, may: ["view"] })
      await server.patch(`${base}/files/${a.id}`, { json: { path: "/elsewhere/" } })
      expect(await text(await read(share, a))).toEqual([200, "content of a"])
      await expectProblem(await read(share, a, "download"), 401, "unauthenticated")
      await expectProblem(await read(share, b), 401, "unauthenticated")
    })

    it("two downloads permitted, 10 at the same time → two redirected to tickets, whose ranges count nothing", async () => {
      const { a, base, create, read, server } = await setUp()
      const share = await create({ fileId: a.id, maxDownloads: 2 })
      const head = await read(share, a, "download", { method: "HEAD" })
      expect([head.status, head.headers.get("content-length")]).toEqual([200, "12"])
      const answers = await Promise.all(Array.from({ length: 10 }, () => read(share, a, "download")))
      const redirects = answers.filter(({ status }) => status === 307)
      expect(redirects).toHaveLength(2)
      const ticket = new URL(redirects[0]?.headers.get("location") ?? "", redirects[0]?.url).href
      for (const range of ["bytes=0-6", "bytes=8-", "bytes=0-"]) {
        expect((await fetch(ticket, { headers: { range } })).status).toBe(206)
      }
      await expectProblem(await read(share, a, "download"), 410, "share_exhausted")
      expect(await json(await server.get(`${base}/shares/${share.id}`))).toMatchObject({ downloads: 2 })
      await server.delete(`${base}/shares/${share.id}`)
      await expectProblem(await fetch(ticket), 401, "unauthenticated")
    })
  })

  describe("uploading", () => {
    it("folder for uploads → file in it, a taken name gets another one, nothing can be read or listed", async () => {
      const { a, base, bucket, create, read, server, use } = await setUp()
      const share = await create({ path: "/in/", may: ["upload"] })
      const answer = await use(share, "PUT", "/files/upload?name=a.txt", { body: "mine" })
      expect(answer.status, await answer.clone().text()).toBe(201)
      const file = await json<{ readonly id: string; readonly name: string; readonly path: string }>(answer)
      expect(file).toMatchObject({ name: expect.stringMatching(/^a.+\.txt$/), path: "/in/" })
      expect(await (await server.get(`${base}/files/${a.id}/view`)).text()).toBe("content of a")
      await expectProblem(await read(share, file), 401, "unauthenticated")
      await expectProblem(await use(share, "GET", "/files"), 401, "unauthenticated")
      const other = await use(share, "PUT", "/files/upload?name=x&path=/out/", { body: "x" })
      expect(pointers(await expectProblem(other, 400, "invalid_request"))).toEqual(["/path"])
      const events = await json<{ readonly items: ReadonlyArray<{ readonly actor: object }> }>(
        await server.get(`/tenants/${bucket.tenantId}/events`, { query: { action: "file.created", limit: "1" } })
      )
      expect(events.items[0]?.actor).toMatchObject({ tokenId: share.id })
    })

    it("caps of files and bytes → further uploads 410; a failed one counts nothing", async () => {
      const { base, create, server, use } = await setUp()
      const share = await create({ may: ["upload"], maxFiles: 2, maxBytes: 10 })
      const put = (name: string, body: string, headers = {}) =>
        use(share, "PUT", `/files/upload?name=${name}`, { body, headers })
      await expectProblem(await put("a", "12345678901"), 410, "share_exhausted")
      const digest = { "repr-digest": "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:" }
      await expectProblem(await put("a", "123", digest), 400, "checksum_mismatch")
      expect((await put("a", "12345")).status).toBe(201)
      expect((await put("b", "12345")).status).toBe(201)
      await expectProblem(await put("c", ""), 410, "share_exhausted")
      expect(await json(await server.get(`${base}/shares/${share.id}`))).toMatchObject({
        uploadedFiles: 2,
        uploadedBytes: 10
      })
    })
  })

  describe("end", () => {
    it("removed, creator removed or demoted → tokens end; taken over by an Admin → works on", async () => {
      const { a, base, bucket, create, read, server } = await setUp()
      const tenant = `/tenants/${bucket.tenantId}`
      const writer = await memberKey(server, bucket.tenantId, "File Writer")
      const [removed, taken, left] = [await create({}, writer), await create({}, writer), await create({}, writer)]
      const upload = await create({ may: ["upload"] }, writer)
      expect((await server.delete(`${base}/shares/${removed.id}`, { key: writer })).status).toBe(204)
      await expectProblem(await read(removed, a), 401, "unauthenticated")
      const memberId = left.createdBy.member.id
      const other = await memberKey(server, bucket.tenantId, "File Writer")
      const refused = await server.patch(`${base}/shares/${taken.id}`, { json: { takeOver: true }, key: other })
      await expectProblem(refused, 403, "forbidden")
      const over = await server.patch(`${base}/shares/${taken.id}`, { json: { takeOver: true } })
      expect((await json<Share>(over)).createdBy.member.id).not.toBe(memberId)
      const demote = { role: { name: "File Reader" } }
      const first = await server.patch(`${tenant}/members/${memberId}`, { json: demote })
      expect(await expectProblem(first, 409, "created_resources_remain")).toMatchObject({ created: { shares: 2 } })
      const demoted = await server.patch(`${tenant}/members/${memberId}?created=transfer`, { json: demote })
      expect(demoted.status, await demoted.clone().text()).toBe(200)
      for (const share of [taken, left]) expect((await read(share, a)).status).toBe(200)
      expect((await server.get(`${base}/shares/${upload.id}`)).status).toBe(200)
    })

    it("token of the creator revoked → 401; with a narrower scope → only what it permits", async () => {
      const { a, bucket, create, outside, read, server } = await setUp()
      const tenant = `/tenants/${bucket.tenantId}`
      const members = await json<{ readonly items: ReadonlyArray<{ readonly id: string }> }>(
        await server.get(`${tenant}/members`)
      )
      const token = await json<{ readonly id: string; readonly key: string }>(
        await server.post(`${tenant}/tokens`, {
          json: {
            name: "t",
            member: { id: members.items[0]?.id },
            scope: { bucketIds: [bucket.bucketId], permissions: ["share:write", "file:read"] }
          }
        })
      )
      const refused = await server.post(`${tenant}/buckets/${bucket.bucketId}/shares`, {
        json: { name: "s", may: ["upload"] },
        key: token.key
      })
      await expectProblem(refused, 403, "forbidden")
      const share = await create({ path: "/in/" }, token.key)
      expect((await read(share, a)).status).toBe(200)
      await expectProblem(await read(share, outside), 404, "not_found")
      await server.delete(`${tenant}/tokens/${token.id}`)
      await expectProblem(await read(share, a), 401, "unauthenticated")
    })

    it("password → 403 at the addresses of the API; expiry in the past and a wrong mixture → 400", async () => {
      const { a, base, create, read, server } = await setUp()
      const share = await create({ fileId: a.id, password: "correct horse" })
      expect(share).toMatchObject({ hasPassword: true })
      expect(JSON.stringify(share)).not.toContain("scrypt")
      await expectProblem(await read(share, a), 403, "share_password_required")
      for (const [input, fields] of [
        [{ expiresAt: "2020-01-01T00:00:00Z" }, ["/expiresAt"]],
        [{ may: ["upload", "list"] }, ["/may"]],
        [{ fileId: a.id, may: ["list"] }, ["/may"]],
        [{ fileId: a.id, path: "/in/" }, ["/path"]],
        [{ maxFiles: 1 }, ["/maxFiles"]],
        [{ may: ["upload"], maxDownloads: 1 }, ["/maxDownloads"]],
        [{ password: "short" }, ["/password"]]
      ] as const) {
        const answer = await server.post(`${base}/shares`, { json: { name: "s", ...input } })
        expect(pointers(await expectProblem(answer, 400, "invalid_request"))).toEqual(fields)
      }
    })

    it("password set or removed → links that the page gave before end; links given afterwards work", async () => {
      const { a, base, create, server } = await setUp()
      const [shown, inbox] = [await create({ fileId: a.id }), await create({ may: ["upload"] })]
      const openPage = async ({ id, token }: Share, password?: string) => {
        const headers = { "content-type": "application/json" }
        const body = JSON.stringify({ token, password })
        const opened = await fetch(`${server.url}/s/${id}/session`, { method: "POST", headers, body })
        expect(opened.status).toBe(200)
        return { ...headers, cookie: opened.headers.get("set-cookie")?.split(";")[0] ?? "" }
      }
      const giveUploadLink = async (password?: string) => {
        const page = `${server.url}/s/${inbox.id}`
        const headers = await openPage(inbox, password)
        const given = await fetch(`${page}/upload-links`, { method: "POST", headers, body: "{}" })
        return new URL(`${(await json<{ readonly url: string }>(given)).url}&name=a`, page)
      }
      const setPassword = async ({ id }: Share, password: string | null) =>
        expect((await server.patch(`${base}/shares/${id}`, { json: { password } })).status).toBe(200)

      const view = `${server.url}/s/${shown.id}/files/${a.id}/view`
      const ticket = await fetch(view, { headers: await openPage(shown), redirect: "manual" })
      const content = new URL(ticket.headers.get("location") ?? "", view)
      expect((await fetch(content)).status).toBe(200)
      await setPassword(shown, "correct horse")
      await expectProblem(await fetch(content), 401, "unauthenticated")

      let link = await giveUploadLink()
      for (const password of ["correct horse", null]) {
        await server.patch(`${base}/shares/${inbox.id}`, { json: { name: "Another name" } })
        expect((await fetch(link, { method: "PUT" })).status).toBe(201)
        await setPassword(inbox, password)
        await expectProblem(await fetch(link, { method: "PUT", body: "x" }), 401, "unauthenticated")
        link = await giveUploadLink(password ?? undefined)
      }
      expect((await fetch(link, { method: "PUT" })).status).toBe(201)
    })

    it("rules of the bucket → hold for new shares, and for existing ones at once", async () => {
      const { a, base, create, read, server } = await setUp()
      const share = await create({})
      const rule = (shares: object) => server.patch(base, { json: { shares } })
      expect(await json(await rule({ passwordRequired: true, maxSeconds: 3600 }))).toMatchObject({
        shares: { allowed: true, maxSeconds: 3600, passwordRequired: true }
      })
      await expectProblem(await read(share, a), 401, "unauthenticated")
      const expiresAt = new Date(Date.now() + 7_200_000).toISOString()
      const refuse = async (input: object, field: string) => {
        const answer = await server.post(`${base}/shares`, { json: { name: "s", ...input } })
        expect(pointers(await expectProblem(answer, 400, "invalid_request"))).toEqual([field])
      }
      await refuse({}, "/password")
      await refuse({ expiresAt }, "/expiresAt")
      await rule({ allowed: false })
      await refuse({}, "")
      await rule({})
      expect((await read(share, a)).status).toBe(200)
    })
  })

  it("list → pages without tokens; no line of the log has one", async () => {
    const { a, base, create, read, server } = await setUp()
    const shares = [await create({ name: "1" }), await create({ name: "2" }), await create({ name: "3" })]
    const page = await json<{ readonly items: ReadonlyArray<Share>; readonly nextCursor: string }>(
      await server.get(`${base}/shares`, { query: { limit: "2" } })
    )
    expect(page.items.map(({ id }) => id)).toEqual(shares.slice(0, 2).map(({ id }) => id))
    const rest = await server.get(`${base}/shares`, { query: { limit: "2", cursor: page.nextCursor } })
    const restText = await rest.text()
    expect(restText).toContain(shares[2]?.id)
    for (const share of shares) {
      await read(share, a)
      expect(JSON.stringify(page) + restText).not.toContain(share.token)
      expect(server.logs.join("\n")).not.toContain(share.token.slice(4, 30))
    }
  })
})
