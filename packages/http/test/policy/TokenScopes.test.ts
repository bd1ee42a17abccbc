/**
 * Tokens with a scope: what they see of lists, files, aliases, links and further tokens.
 */
import * as Duration from "effect/Duration"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { createClient } from "../../src/client/index.ts"
import * as RawClient from "../contents/RawClient.ts"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface Token {
  readonly id: string
  readonly key: string
  readonly scope: object | null
}

interface FilePage {
  readonly items: ReadonlyArray<{ readonly name: string; readonly path: string }>
  readonly folders: ReadonlyArray<string>
  readonly nextCursor: string | null
}

type Bucket = { readonly tenantId: string; readonly bucketId: string }

let server: TestServer.TestServer
let bucket: Bucket
let tokens: string
let memberId: string
beforeAll(async () => {
  server = await TestServer.start({ settings: { accessCache: Duration.zero } })
  bucket = await server.makeBucket()
  tokens = `/tenants/${bucket.tenantId}/tokens`
  const { items } = await json<{ items: ReadonlyArray<{ id: string }> }>(
    await server.get(`/tenants/${bucket.tenantId}/members`)
  )
  memberId = items[0]?.id ?? ""
})
afterAll(() => server.close())

const create = (scope: unknown, key?: string) =>
  server.post(tokens, {
    json: { name: "browser", member: { id: memberId }, scope },
    ...(key === undefined ? {} : { key })
  })

const makeToken = async (scope: unknown, key?: string): Promise<Token> => {
  const answer = await create(scope, key)
  expect(answer.status).toBe(201)
  return json<Token>(answer)
}

const filesOf = ({ bucketId, tenantId }: Bucket) => `/tenants/${tenantId}/buckets/${bucketId}/files`
const namesOf = ({ items }: FilePage) => items.map(({ name, path }) => path + name)

describe("scope of a token", () => {
  it("create → normalised in the record, in lists and in GET /me; without one null", async () => {
    const scope = { bucketIds: [bucket.bucketId], pathPrefix: "u\u0308/b", permissions: ["file:read"] }
    const { id, key, scope: stored } = await makeToken(scope)
    const normal = { ...scope, pathPrefix: "/ü/b/" }
    expect(stored).toEqual(normal)
    expect(await json(await server.get(`${tokens}/${id}`))).toMatchObject({ scope: normal })
    expect(await json(await server.get("/me", { key }))).toMatchObject({ credential: { scope: normal } })
    expect((await makeToken(undefined)).scope).toBeNull()
  })

  it.each([
    ["an empty one", {}, ["/scope"]],
    ["no buckets", { bucketIds: [] }, ["/scope/bucketIds"]],
    ["a bucket that is no id", { bucketIds: ["photos"] }, ["/scope/bucketIds/0"]],
    [
      "101 buckets",
      { bucketIds: Array.from({ length: 101 }, () => "bkt_01890a5d-ac96-774b-bcce-b302099a8057") },
      ["/scope/bucketIds"]
    ],
    ["an unknown permission", { permissions: ["file:erase"] }, ["/scope/permissions/0"]],
    ["a folder with dots", { pathPrefix: "/a/../b" }, ["/scope/pathPrefix"]],
    ["a text", "all", ["/scope"]]
  ])("create with %s → 400", async (_, scope, expected) => {
    expect(pointers(await expectProblem(await create(scope), 400, "invalid_request"))).toEqual(expected)
  })

  it("library and client: the same scope, and errors that name its fields", async () => {
    const client = createClient({ url: server.url, apiKey: server.rootKey })
    const input = { tenantId: bucket.tenantId, name: "t", member: { id: memberId } }
    const { scope } = await client.tokens.create({ ...input, scope: { pathPrefix: "photos" } })
    expect(scope).toEqual({ pathPrefix: "/photos/" })
    await expect(client.tokens.create({ ...input, scope: { bucketIds: ["x"] } })).rejects.toMatchObject({
      code: "invalid_request"
    })
  })

  it("list of buckets → only those of the scope; of tenants → 403", async () => {
    const other = await server.makeBucket(bucket.tenantId)
    const { key } = await makeToken({ bucketIds: [other.bucketId] })
    const path = `/tenants/${bucket.tenantId}/buckets`
    const { items } = await json<{ items: ReadonlyArray<{ id: string }> }>(await server.get(path, { key }))
    expect(items.map(({ id }) => id)).toEqual([other.bucketId])
    await expectProblem(await server.get("/tenants", { key }), 403, "forbidden")
    const refused = await expectProblem(await server.get(filesOf(bucket), { key }), 403, "forbidden")
    expect(refused).toMatchObject({
      permission: "file:read",
      detail: expect.stringContaining("Use a key whose scope has it")
    })
    expect((await server.get(filesOf(other), { key })).status).toBe(200)
  })

  it("role without the permission of the scope → 403", async () => {
    const user = { email: "reader@example.com" }
    const { id } = await json<{ id: string }>(
      await server.post(`/tenants/${bucket.tenantId}/members`, { json: { user, role: { name: "File Reader" } } })
    )
    const scope = { bucketIds: [bucket.bucketId], permissions: ["file:read", "file:write"] }
    const { key } = await json<Token>(await server.post(tokens, { json: { name: "t", member: { id }, scope } }))
    expect((await server.get(filesOf(bucket), { key })).status).toBe(200)
    await expectProblem(await server.post(filesOf(bucket), { key, json: { name: "x" } }), 403, "forbidden")
  })

  it("rename to the name of another bucket → 409; existingId only without the limit", async () => {
    const [own, other] = [await server.makeBucket(bucket.tenantId), await server.makeBucket(bucket.tenantId)]
    const pathOf = ({ bucketId, tenantId }: Bucket) => `/tenants/${tenantId}/buckets/${bucketId}`
    const { name } = await json<{ name: string }>(await server.get(pathOf(other)))
    const { key } = await makeToken({ bucketIds: [own.bucketId] })
    const rename = async (user: string) =>
      expectProblem(await server.patch(pathOf(own), { key: user, json: { name } }), 409, "bucket_exists")
    expect((await rename(server.rootKey)).existingId).toBe(other.bucketId)
    expect(await rename(key)).not.toHaveProperty("existingId")
  })

  it("revoke → the next request gets 401", async () => {
    const { id, key } = await makeToken({ bucketIds: [bucket.bucketId] })
    expect((await server.get(filesOf(bucket), { key })).status).toBe(200)
    expect((await server.delete(`${tokens}/${id}`)).status).toBe(204)
    await expectProblem(await server.get(filesOf(bucket), { key }), 401, "unauthenticated")
  })

  it("refusal → an event with the permission, not with the place", async () => {
    const { id, key } = await makeToken({ pathPrefix: "/elsewhere/" })
    await expectProblem(
      await server.post(filesOf(bucket), { key, json: { name: "x", path: "/here/" } }),
      403,
      "forbidden"
    )
    const query = { outcome: "REFUSED", tokenId: id }
    await expect
      .poll(async () => {
        const { items } = await json<{ items: ReadonlyArray<{ detail: object }> }>(
          await server.get(`/tenants/${bucket.tenantId}/events`, { query })
        )
        return items.map(({ detail }) => detail)
      })
      .toEqual([expect.objectContaining({ reason: "outside_scope", permission: "file:write" })])
  })
})

describe("folder of a scope", () => {
  let files: string
  let key: string
  beforeAll(async () => {
    const own = await server.makeBucket()
    files = filesOf(own)
    const { items } = await json<{ items: ReadonlyArray<{ id: string }> }>(
      await server.get(`/tenants/${own.tenantId}/members`)
    )
    const scope = { bucketIds: [own.bucketId], pathPrefix: "/a/b" }
    const answer = await server.post(`/tenants/${own.tenantId}/tokens`, {
      json: { name: "t", member: { id: items[0]?.id }, scope }
    })
    key = (await json<Token>(answer)).key
    for (const path of ["/", "/a/", "/a/b/", "/a/b/c/", "/a/bc/", "/A/b/", "/z/"]) {
      await server.makeFile(own, path, { name: "file", path })
    }
  })

  const list = async (query: Record<string, string>) => json<FilePage>(await server.get(files, { key, query }))

  it("list of the folder, and of folders below → as without a scope", async () => {
    const page = await list({ path: "/a/b" })
    expect([namesOf(page), page.folders]).toEqual([["/a/b/file"], ["/a/b/c/"]])
    expect(namesOf(await list({ path: "/a/b/c/" }))).toEqual(["/a/b/c/file"])
  })

  it("list of a folder above → only the folder that leads to it; recursive → only its files", async () => {
    for (const [path, folder] of [
      ["/", "/a/"],
      ["/a/", "/a/b/"]
    ] as const) {
      expect(await list({ path })).toEqual({ items: [], folders: [folder], nextCursor: null })
      expect(namesOf(await list({ path, recursive: "true" }))).toEqual(["/a/b/file", "/a/b/c/file"])
      expect(await list({ path, name: "f" })).toEqual({ items: [], folders: [], nextCursor: null })
    }
    const first = await list({ recursive: "true", limit: "1" })
    const second = await list({ recursive: "true", limit: "1", cursor: first.nextCursor ?? "" })
    expect([namesOf(first), namesOf(second), second.nextCursor]).toEqual([["/a/b/file"], ["/a/b/c/file"], null])
  })

  it("list with a cursor of another place → nothing from there", async () => {
    const all = await json<FilePage>(await server.get(files, { query: { recursive: "true", limit: "1" } }))
    expect(namesOf(await list({ recursive: "true", cursor: all.nextCursor ?? "" }))).toEqual([
      "/a/b/file",
      "/a/b/c/file"
    ])
  })

  it.each(["/a/bc/", "/A/b/", "/z/"])("list of %s → 403", async (path) => {
    await expectProblem(await server.get(files, { key, query: { path } }), 403, "forbidden")
    await expectProblem(await server.get(files, { key, query: { path, recursive: "true" } }), 403, "forbidden")
  })

  it("upload, reservation and move: into the folder → done; elsewhere, or to no path → 403", async () => {
    const form = (path?: string) => {
      const data = new FormData()
      data.set("body", JSON.stringify({ name: "new", path }))
      data.set("file", new Blob(["x"]))
      return data
    }
    for (const path of [undefined, "/a/", "/a/bc/"]) {
      await expectProblem(await server.post(`${files}/upload`, { key, body: form(path) }), 403, "forbidden")
      await expectProblem(await server.post(files, { key, json: { name: "new", path } }), 403, "forbidden")
      expect((await server.get(files, { query: { name: "new", path: path ?? "/" } })).status).toBe(200)
    }
    expect(
      namesOf(await json<FilePage>(await server.get(files, { query: { name: "new", recursive: "true" } })))
    ).toEqual([])
    const made = await server.post(`${files}/upload`, { key, body: form("/a/b/d") })
    expect(made.status).toBe(201)
    const file = `${files}/${(await json<{ id: string }>(made)).id}`
    await expectProblem(await server.patch(file, { key, json: { path: "/a/bc/" } }), 403, "forbidden")
    await expectProblem(await server.patch(file, { key, json: { path: "/" } }), 403, "forbidden")
    expect((await server.patch(file, { key, json: { path: "/a/b/", name: "moved" } })).status).toBe(200)
    expect(await (await server.get(`${file}/view`, { key })).text()).toBe("x")
    expect((await server.patch(file, { json: { path: "/out/" } })).status).toBe(200)
    await expectProblem(await server.get(`${file}/view`, { key }), 404, "not_found")
    await expectProblem(await server.post(`${file}/reupload`, { key, body: "y" }), 404, "not_found")
  })

  it("upload without a form: into the folder → done; elsewhere → 403, also where a file is", async () => {
    const put = (path: string, onConflict: string, bytes: number) =>
      server.request("PUT", `${files}/upload`, {
        key,
        query: { name: "file", path, onConflict },
        body: new Uint8Array(bytes)
      })
    for (const onConflict of ["fail", "replace", "rename"]) {
      // The place of a large content is looked up before the content is read.
      for (const bytes of [1, 100_000]) {
        await expectProblem(await put("/a/bc/", onConflict, bytes), 403, "forbidden")
        await expectProblem(await put("/none/", onConflict, bytes), 403, "forbidden")
      }
    }
    expect((await put("/a/b/", "replace", 100_000)).status).toBe(200)
    expect((await put("/a/b/put/", "replace", 1)).status).toBe(201)
  })

  it("form whose file precedes the description → path of the query; without one, or elsewhere, before the file", async () => {
    const connect = async (query: string) => {
      const connection = await RawClient.connect(server.url)
      onTestFinished(() => void connection.socket.destroy())
      const head = RawClient.head("POST", `/api/v1${files}/upload${query}`, {
        "X-Api-Key": key,
        "Content-Type": "multipart/form-data; boundary=b",
        "Content-Length": 90_000
      })
      // The rest of the body never arrives: only an answer that does not need it ends the connection.
      await connection.write(head)
      await connection.write(RawClient.part("b", 'name="file"; filename="late"', "x".repeat(60_000)))
      const { body, status } = await connection.response()
      return [status, (JSON.parse(body.toString()) as { readonly code: string }).code]
    }
    expect(await connect("")).toEqual([400, "invalid_request"])
    expect(await connect("?path=/a/bc")).toEqual([403, "forbidden"])

    const late = (path?: string) => {
      const data = new FormData()
      data.set("file", new Blob(["late"]), "late")
      data.set("body", JSON.stringify({ name: "late", path }))
      return data
    }
    const upload = (query: Record<string, string>, path?: string) =>
      server.post(`${files}/upload`, { key, query, body: late(path) })
    expect(pointers(await expectProblem(await upload({}, "/a/b/"), 400, "invalid_request"))).toEqual(["/path"])
    expect((await upload({ path: "a/b" })).status).toBe(201)
    await expectProblem(await upload({ path: "/a/b/" }, "/a/bc/"), 403, "forbidden")
  })

  it("form with the description first → a path elsewhere is refused before the file", async () => {
    const connection = await RawClient.connect(server.url)
    onTestFinished(() => void connection.socket.destroy())
    await connection.write(
      RawClient.head("POST", `/api/v1${files}/upload`, {
        "X-Api-Key": key,
        "Content-Type": "multipart/form-data; boundary=b",
        // The service reads a smaller form as a whole.
        "Content-Length": 200_000
      })
    )
    await connection.write(RawClient.part("b", 'name="body"', JSON.stringify({ name: "small", path: "/a/bc/" })))
    await connection.write(RawClient.part("b", 'name="file"; filename="small"', "x"))
    expect((await connection.response()).status).toBe(403)
  })

  it("upload link: for the folder → uploads into it; for another folder, or none → 403", async () => {
    const create = (path?: string) =>
      server.post(files.replace(/files$/, "upload-links"), {
        key,
        json: { name: "linked", path, maxBytes: 9, expiresIn: 60 }
      })
    for (const path of [undefined, "/a/", "/a/bc/"]) await expectProblem(await create(path), 403, "forbidden")
    const { url } = await json<{ url: string }>(await create("/a/b/links/"))
    const uploaded = await fetch(server.url + url, { method: "PUT", body: "x" })
    expect([uploaded.status, await json<{ path: string }>(uploaded)]).toEqual([
      201,
      expect.objectContaining({ path: "/a/b/links/" })
    ])
  })

  it("alias of a file in the folder → its content; of another file → as for no file", async () => {
    const [, , , tenantId = "", , bucketId = ""] = `/x${files}`.split("/")
    const own = { tenantId, bucketId }
    await server.makeFile(own, "inside", { path: "/a/b/", alias: "inside" })
    await server.makeFile(own, "outside", { path: "/a/bc/", alias: "outside" })
    expect(await (await server.get(`${files}/@inside/view`, { key })).text()).toBe("inside")
    const problems = []
    for (const alias of ["@outside", "@missing"]) {
      const { requestId: _, ...problem } = await expectProblem(
        await server.get(`${files}/${alias}/view`, { key }),
        404,
        "not_found"
      )
      problems.push(problem)
    }
    expect(problems[0]).toEqual(problems[1])
  })

  it("alias of a file of another folder is taken → 409; existingId only without the limit", async () => {
    const [, , , tenantId = "", , bucketId = ""] = `/x${files}`.split("/")
    const own = { tenantId, bucketId }
    await server.makeFile(own, "owner", { path: "/a/bc/", name: "owner", alias: "taken" })
    const taken = { name: "new", path: "/a/b/", alias: "taken" }
    const form = new FormData()
    form.set("body", JSON.stringify(taken))
    form.set("file", new Blob(["x"]))
    const file = await server.makeFile(own, "x", { path: "/a/b/", name: "to-move" })
    for (const [user, shows] of [
      [server.rootKey, true],
      [key, false]
    ] as const) {
      for (const answer of [
        await server.post(files, { key: user, json: taken }),
        await server.post(`${files}/upload`, { key: user, body: form }),
        await server.patch(file.path, { key: user, json: { alias: "taken" } })
      ]) {
        expect("existingId" in (await expectProblem(answer, 409, "alias_taken"))).toBe(shows)
      }
    }
  })

  it("file of another folder that another key has just read → 404 all the same", async () => {
    const { items } = await json<{ items: ReadonlyArray<{ id: string }> }>(
      await server.get(files, { query: { path: "/a/bc/" } })
    )
    const outside = `${files}/${items[0]?.id}`
    for (let i = 0; i < 3; i++) {
      expect((await server.get(`${outside}/view`)).status).toBe(200)
      await expectProblem(await server.get(`${outside}/view`, { key }), 404, "not_found")
      await expectProblem(await server.get(outside, { key }), 404, "not_found")
    }
  })

  it("link → reads the file only while it is in the folder", async () => {
    const made = await json<{ id: string }>(await server.post(files, { key, json: { name: "linked", path: "/a/b/" } }))
    const file = `${files}/${made.id}`
    expect((await server.post(`${file}/reupload`, { key, body: "linked" })).status).toBe(200)
    const { url } = await json<{ url: string }>(await server.post(`${file}/links`, { key, json: { expiresIn: 60 } }))
    expect(await (await fetch(server.url + url)).text()).toBe("linked")
    expect((await server.patch(file, { json: { path: "/z/" } })).status).toBe(200)
    expect((await fetch(server.url + url)).status).toBe(404)
  })
})

describe("token that a token with a scope creates", () => {
  const scope = () => ({ bucketIds: [bucket.bucketId], pathPrefix: "/a/", permissions: ["token:manage", "file:read"] })

  it("no scope, or some of its fields → the others are those of the creating token", async () => {
    const { key } = await makeToken(scope())
    expect((await makeToken(undefined, key)).scope).toEqual(scope())
    const narrower = await makeToken({ pathPrefix: "/a/b/", permissions: ["file:read"] }, key)
    expect(narrower.scope).toEqual({ ...scope(), pathPrefix: "/a/b/", permissions: ["file:read"] })
  })

  it.each([
    ["bucketIds", ["bkt_01890a5d-ac96-774b-bcce-b302099a8057"]],
    ["pathPrefix", "/"],
    ["pathPrefix", "/ab/"],
    ["permissions", ["file:write"]]
  ])("wider %s → 400", async (field, value) => {
    const { key } = await makeToken(scope())
    expect(pointers(await expectProblem(await create({ [field]: value }, key), 400, "invalid_request"))).toEqual([
      `/scope/${field}`
    ])
  })

  it("further tokens of the tenant → not listed, not revoked", async () => {
    const { id, key } = await makeToken(scope())
    await expectProblem(await server.get(tokens, { key }), 403, "forbidden")
    await expectProblem(await server.delete(`${tokens}/${id}`, { key }), 403, "forbidden")
  })

  it("deployment in which tokens create tenants → not with a scope", async () => {
    const generous = await TestServer.start({ settings: { tokensMayCreateTenants: true } })
    onTestFinished(() => generous.close())
    const { tenantId } = await generous.makeTenant()
    const { items } = await json<{ items: ReadonlyArray<{ id: string }> }>(
      await generous.get(`/tenants/${tenantId}/members`)
    )
    const make = async (fields: object) => {
      const input = { name: "t", member: { id: items[0]?.id }, ...fields }
      return (await json<Token>(await generous.post(`/tenants/${tenantId}/tokens`, { json: input }))).key
    }
    const tenant = (subdomain: string) => ({ json: { name: "New", subdomain } })
    const key = await make({ scope: { permissions: ["tenant:manage"] } })
    await expectProblem(await generous.post("/tenants", { key, ...tenant("scoped") }), 403, "forbidden")
    expect((await generous.post("/tenants", { key: await make({}), ...tenant("plain") })).status).toBe(201)
  })
})
