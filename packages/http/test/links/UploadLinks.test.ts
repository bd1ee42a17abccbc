/**
 * Upload links: what they permit, what they refuse, and when they end.
 */
import * as Actor from "@holdfast/core/Actor"
import { UploadLinks } from "@holdfast/core/files/links/UploadLinks"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { createClient } from "../../src/client/index.ts"
import { form } from "../contents/Forms.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface File {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly contentType: string
  readonly version: number
  readonly alias: string | null
  readonly metadata: object
  readonly headers: ReadonlyArray<object>
}

let server: TestServer.TestServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
let base: string
let files: string
beforeAll(async () => {
  server = await TestServer.start({ settings: { accessCache: Duration.zero } })
  bucket = await server.makeBucket()
  base = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}`
  files = `${base}/files`
})
afterAll(() => server.close())

const create = async (input: object = {}, key?: string) => {
  const options = key === undefined ? {} : { key }
  const answer = await server.post(`${base}/upload-links`, {
    json: { maxBytes: 1000, expiresIn: 60, ...input },
    ...options
  })
  expect(answer.status).toBe(200)
  const link = await json<{ readonly url: string; readonly expiresAt: string }>(answer)
  expect(link.url).toContain(`/api/v1${files}/upload?apiKey=hfu_`)
  return link
}

/** Sends a body to a link, without another key. */
const send = (url: string, body: NonNullable<RequestInit["body"]>, init: RequestInit = {}) =>
  fetch(`${server.url}${url}`, { method: "PUT", body, ...init })

const read = async (id: string) => (await server.get(`${files}/${id}/view`)).text()

/** The number of uploads that are stored but no file's content. */
const pendingCount = () =>
  server.run(
    BlobRepository.use(({ list }) =>
      Effect.map(list({ limit: 1000 }), (rows) => rows.filter(({ state }) => state === "PENDING").length)
    )
  )

let count = 0
const unique = () => `file-${++count}.txt`

describe("upload link", () => {
  it.each(["PUT", "POST"])("%s of the content → 201, the file of the link with its Location", async (method) => {
    const name = unique()
    const { url } = await create({ path: "/drop", name })
    const answer = await send(url, "Hello", { method, headers: { "content-type": "text/plain" } })
    expect(answer.status).toBe(201)
    const file = await json<File>(answer)
    expect(file).toMatchObject({ path: "/drop/", name, contentType: "text/plain", version: 1 })
    expect(answer.headers.get("location")).toBe(`/api/v1${files}/${file.id}`)
    expect(await read(file.id)).toBe("Hello")
  })

  it("redirectTo: form → 303 to that page with the id of the file; content and failure → JSON", async () => {
    const name = "redirected.txt"
    const { url } = await create({ name, maxBytes: 5, redirectTo: "https://App.example.com/done?lang=de#files" })
    const sendForm = (content: string, query = "") =>
      send(url + query, form(["file", new Blob([content]), "a.txt"]), {
        method: "POST",
        redirect: "manual",
        headers: { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }
      })
    // Nothing of the request changes the page.
    const answer = await sendForm("Hello", "&redirectTo=https://evil.example.com/")
    const { items } = await json<{ readonly items: ReadonlyArray<File> }>(await server.get(`${files}?name=${name}`))
    const id = items.find((file) => file.name === name)?.id ?? ""
    expect(answer.status).toBe(303)
    expect(answer.headers.get("location")).toBe(`https://app.example.com/done?lang=de&fileId=${id}#files`)
    expect(await read(id)).toBe("Hello")
    await expectProblem(await sendForm("Hello"), 409, "file_exists")
    await expectProblem(await sendForm("Hello!"), 413, "content_too_large")
    const replacing = await create({ name, onConflict: "replace", redirectTo: "http://localhost:3000" })
    const put = await send(replacing.url, "Hi")
    expect([put.status, (await json<File>(put)).id]).toEqual([200, id])
    const again = await send(replacing.url, form(["file", new Blob(["Ho"])]), { method: "POST", redirect: "manual" })
    expect([again.status, again.headers.get("location")]).toEqual([303, `http://localhost:3000/?fileId=${id}`])
    const changed = url.replace(/.{4}$/, (end) => (end === "AAAA" ? "BBBB" : "AAAA"))
    await expectProblem(
      await send(changed, form(["file", new Blob(["x"])]), { method: "POST" }),
      401,
      "unauthenticated"
    )
  })

  it("redirectTo is no address of a page → 400 at /redirectTo; the longest one → accepted", async () => {
    const longest = `https://a.example/${"b".repeat(1024 - 18)}`
    await create({ redirectTo: longest, path: `/${"a".repeat(200)}`, contentTypes: ["image/*", "video/*"] })
    for (const redirectTo of [
      "/done",
      "//a.example",
      "javascript:alert(1)",
      "https://u:p@a.example",
      `${longest}b`,
      "",
      1
    ]) {
      const json = { maxBytes: 1, expiresIn: 60, redirectTo }
      const problem = await expectProblem(await server.post(`${base}/upload-links`, { json }), 400, "invalid_request")
      expect(JSON.stringify(problem)).toContain("/redirectTo")
    }
  })

  it("POST of a form, file first or last → 201; the name of the link precedes that of the part file", async () => {
    const [first, last] = [unique(), unique()]
    const one = await send((await create({ name: first })).url, form(["file", new Blob(["1"]), "local.txt"]), {
      method: "POST"
    })
    const parts = form(["body", JSON.stringify({ name: last })], ["file", new Blob(["2"]), "local.txt"])
    const two = await send((await create({ name: last })).url, parts, { method: "POST" })
    expect([one.status, two.status]).toEqual([201, 201])
    expect([(await json<File>(one)).name, (await json<File>(two)).name]).toEqual([first, last])
  })

  it("no name in the link → the client's: query, body or part file; none → 400", async () => {
    const { url } = await create({ path: "/a/" })
    const names = [unique(), unique(), unique()] as const
    const answers = [
      await send(`${url}&name=${names[0]}`, "x"),
      await send(url, form(["body", JSON.stringify({ name: names[1] })], ["file", new Blob(["x"])]), {
        method: "POST"
      }),
      await send(url, form(["file", new Blob(["x"]), names[2]]), { method: "POST" })
    ]
    for (const [index, answer] of answers.entries()) {
      expect([answer.status, (await json<File>(answer)).name]).toEqual([201, names[index]])
    }
    expect(await expectProblem(await send(url, "x"), 400, "invalid_request")).toMatchObject({
      errors: [{ pointer: "/name" }]
    })
  })

  it("anything else that the client asks for → 400 at the field, nothing stored", async () => {
    const { url } = await create({ path: "/fixed/", name: "fixed.txt" })
    const asked = {
      name: "other.txt",
      path: "/other/",
      alias: "mine",
      metadata: { a: 1 },
      headers: [{ name: "cache-control", value: "max-age=1" }]
    }
    for (const [field, value] of Object.entries(asked)) {
      for (const parts of [
        form(["body", JSON.stringify({ [field]: value })], ["file", new Blob(["x"])]),
        form(["file", new Blob(["x"])], ["body", JSON.stringify({ [field]: value })])
      ]) {
        const answer = await send(url, parts, { method: "POST" })
        expect(await expectProblem(answer, 400, "invalid_request")).toMatchObject({
          errors: [{ pointer: `/${field}` }]
        })
      }
    }
    for (const query of ["name=other.txt", "path=/other/", "onConflict=replace"]) {
      const answer = await send(`${url}&${query}`, "x")
      expect(await expectProblem(answer, 400, "invalid_request")).toMatchObject({
        errors: [{ pointer: `/${query.split("=")[0]}` }]
      })
    }
    expect(await pendingCount()).toBe(0)
    expect((await send(`${url}&name=fixed.txt&path=/fixed/&onConflict=fail`, "x")).status).toBe(201)
  })

  it("content above maxBytes → 413, also without a declared length and in a form; nothing stored", async () => {
    const { url } = await create({ maxBytes: 1000 })
    const stream = (bytes: number) =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          for (let sent = 0; sent < bytes; sent += 100) controller.enqueue(new Uint8Array(Math.min(100, bytes - sent)))
          controller.close()
        }
      })
    const name = unique()
    const streamed = (bytes: number) => send(`${url}&name=${name}`, stream(bytes), { duplex: "half" } as RequestInit)
    const problems = [
      await send(`${url}&name=${name}`, "x".repeat(1001)),
      await streamed(1001),
      await send(url, form(["file", new Blob(["x".repeat(1001)]), name]), { method: "POST" })
    ]
    for (const answer of problems) {
      expect((await expectProblem(answer, 413, "content_too_large")).detail).toContain("1000 bytes")
    }
    expect(await pendingCount()).toBe(0)
    expect((await streamed(1000)).status).toBe(201)
  })

  it("bucket or deployment accepts less than the link → their limits hold", async () => {
    const small = await server.makeBucket(bucket.tenantId)
    const path = `/tenants/${small.tenantId}/buckets/${small.bucketId}`
    await server.patch(path, { json: { maxFileBytes: 10, allowedTypes: ["text/*"] } })
    const answer = await server.post(`${path}/upload-links`, { json: { maxBytes: 1000, expiresIn: 60 } })
    const { url } = await json<{ url: string }>(answer)
    const large = await send(`${url}&name=a`, "x".repeat(11), { headers: { "content-type": "text/plain" } })
    expect((await expectProblem(large, 413, "content_too_large")).detail).toContain("maxFileBytes of its bucket")
    const png = await send(`${url}&name=a`, "x", { headers: { "content-type": "image/png" } })
    expect((await expectProblem(png, 415, "unsupported_media_type")).detail).toContain("bucket")
  })

  it("contentTypes: declared or detected type is another one → 415 that names them", async () => {
    const { url } = await create({ contentTypes: ["image/*", "application/pdf"] })
    const typed = (type: string, body: NonNullable<RequestInit["body"]>) =>
      send(`${url}&name=${unique()}`, body, { headers: { "content-type": type } })
    const { detail } = await expectProblem(await typed("text/html", "<p>"), 415, "unsupported_media_type")
    expect(detail).toContain("Its contentTypes are image/*, application/pdf.")
    // Detected: the declared type says nothing.
    await expectProblem(await typed("application/octet-stream", "plain text"), 415, "unsupported_media_type")
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    expect((await typed("application/octet-stream", png)).status).toBe(201)
    expect((await typed("IMAGE/PNG; a=b", "x")).status).toBe(201)
    const parts = form(["file", new Blob(["x"], { type: "text/plain" }), unique()])
    await expectProblem(await send(url, parts, { method: "POST" }), 415, "unsupported_media_type")
  })

  it("onConflict fail, with a name → one file; then 409", async () => {
    const { url } = await create({ name: unique(), onConflict: "fail" })
    const { id } = await json<File>(await send(url, "one"))
    expect(await expectProblem(await send(url, "two"), 409, "file_exists")).toMatchObject({ existingId: id })
    expect(await read(id)).toBe("one")
  })

  it("onConflict replace → 200, same id, new version; the answer shows nothing of the former file", async () => {
    const name = unique()
    const secret = { alias: "hidden", metadata: { owner: "ada" }, headers: [{ name: "x-note", value: "secret" }] }
    const { id, path } = await server.makeFile(bucket, "one", { name, ...secret })
    const { url } = await create({ name, onConflict: "replace" })
    const answer = await send(url, "two")
    const file = await json<File>(answer)
    expect([answer.status, answer.headers.get("location")]).toEqual([200, `/api/v1${files}/${id}`])
    expect(file).toMatchObject({ id, version: 2, alias: null, metadata: {}, headers: [] })
    expect(await read(id)).toBe("two")
    expect(await json<File>(await server.get(path))).toMatchObject(secret)
  })

  it("onConflict rename → every upload has a file of its own, with the extension of the name", async () => {
    const { url } = await create({ path: "/inbox/", name: "photo.jpg", onConflict: "rename" })
    const stored = [await send(url, "1"), await send(url, "2"), await send(url, "3")]
    const names = await Promise.all(stored.map(async (answer) => (await json<File>(answer)).name))
    expect(new Set(names).size).toBe(3)
    expect(names[0]).toBe("photo.jpg")
    for (const name of names.slice(1)) expect(name).toMatch(/^photo-[0-9a-z]{6}\.jpg$/)
  })

  it("other route, method, bucket or tenant → 401; upload with a second key → 400", async () => {
    const { url } = await create()
    const apiKey = new URL(url, server.url).searchParams.get("apiKey") ?? ""
    const file = await server.makeFile(bucket)
    const sibling = await server.makeBucket(bucket.tenantId)
    const foreign = await server.makeBucket()
    const requests = [
      ["GET", files],
      ["POST", files],
      ["GET", file.path],
      ["GET", `${file.path}/view`],
      ["PATCH", file.path],
      ["DELETE", file.path],
      ["POST", `${file.path}/reupload`],
      ["POST", `${file.path}/links`],
      ["POST", `${base}/upload-links`],
      ["POST", `/tenants/${sibling.tenantId}/buckets/${sibling.bucketId}/files/upload`],
      ["PUT", `/tenants/${sibling.tenantId}/buckets/${sibling.bucketId}/files/upload`],
      ["PUT", `/tenants/${foreign.tenantId}/buckets/${foreign.bucketId}/files/upload`],
      ["GET", "/me"]
    ] as const
    for (const [method, path] of requests) {
      const answer = await server.request(method, path, { key: null, query: { apiKey } })
      await expectProblem(answer, 401, "unauthenticated")
    }
    const both = await send(url, "x", { headers: { "x-api-key": server.rootKey } })
    await expectProblem(both, 400, "ambiguous_key")
  })

  it("any character of the key changed → 401", async () => {
    const { url } = await create({ name: "a" })
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for (let index = url.indexOf("hfu_"); index < url.length; index += 3) {
      const next = alphabet[(alphabet.indexOf(url.charAt(index)) + 1) % 64] ?? ""
      const answer = await send(url.slice(0, index) + next + url.slice(index + 1), "x")
      expect([index, answer.status]).toEqual([index, 401])
    }
  })

  it("expired → 401", async () => {
    const { expiresAt, url } = await create({ expiresIn: 1, onConflict: "replace", name: unique() })
    expect((await send(url, "x")).status).toBe(201)
    await expect.poll(async () => (await send(url, "x")).status, { timeout: 5000, interval: 100 }).toBe(401)
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt))
  })

  it("creator loses its token → 401; its role → 403; its events name the creator", async () => {
    const { tenantId } = bucket
    const user = { email: "dropper@example.com" }
    const added = await server.post(`/tenants/${tenantId}/members`, { json: { user, role: { name: "File Writer" } } })
    const member = await json<{ id: string }>(added)
    const makeToken = async () =>
      json<{ id: string; key: string }>(
        await server.post(`/tenants/${tenantId}/tokens`, { json: { name: "t", member: { id: member.id } } })
      )
    const [first, second] = [await makeToken(), await makeToken()]
    const ended = await create({}, first.key)
    const demoted = await create({}, second.key)
    const stored = await json<File>(await send(`${ended.url}&name=${unique()}`, "x"))
    const events = await json<{ items: ReadonlyArray<object> }>(
      await server.get(`/tenants/${tenantId}/events`, { query: { targetId: stored.id } })
    )
    expect(events.items).toEqual([
      expect.objectContaining({ action: "file.created", actor: expect.objectContaining({ tokenId: first.id }) })
    ])
    await server.delete(`/tenants/${tenantId}/tokens/${first.id}`)
    await expectProblem(await send(`${ended.url}&name=a`, "x"), 401, "unauthenticated")
    await server.patch(`/tenants/${tenantId}/members/${member.id}`, { json: { role: { name: "File Reader" } } })
    const refused = await expectProblem(await send(`${demoted.url}&name=a`, "x"), 403, "forbidden")
    expect(refused).toMatchObject({ permission: "file:write", detail: expect.stringContaining("Ask for another link") })
    await expectProblem(
      await server.post(`${base}/upload-links`, { json: { maxBytes: 1, expiresIn: 1 }, key: second.key }),
      403,
      "forbidden"
    )
  })

  it("input that is not valid → 400 with the field; bucket that does not exist → 404", async () => {
    const faults = [
      [{ maxBytes: 0 }, "/maxBytes"],
      [{ maxBytes: undefined }, "/maxBytes"],
      [{ expiresIn: 604_801 }, "/expiresIn"],
      [{ name: "a/b" }, "/name"],
      [{ path: "/../" }, "/path"],
      [{ contentTypes: [] }, "/contentTypes"],
      [{ contentTypes: ["png"] }, "/contentTypes/0"],
      [{ onConflict: "keep" }, "/onConflict"]
    ] as const
    for (const [fault, pointer] of faults) {
      const answer = await server.post(`${base}/upload-links`, { json: { maxBytes: 1, expiresIn: 1, ...fault } })
      expect(await expectProblem(answer, 400, "invalid_request")).toMatchObject({ errors: [{ pointer }] })
    }
    const missing = base.replace(bucket.bucketId, "bkt_01890a5d-ac96-774b-bcce-b302099a8057")
    await expectProblem(
      await server.post(`${missing}/upload-links`, { json: { maxBytes: 1, expiresIn: 1 } }),
      404,
      "not_found"
    )
  })

  it("longest path, name and types → a link that works", async () => {
    const path = `/${"ü".repeat(127)}/${'"'.repeat(200)}/`
    const contentTypes = Array.from({ length: 16 }, (_, index) => `text/${"x".repeat(120)}${index}`)
    const { url } = await create({ path, name: `${'"'.repeat(250)}.txt`, contentTypes })
    const answer = await send(url, "x", { headers: { "content-type": contentTypes[15] ?? "" } })
    expect([answer.status, (await json<File>(answer)).path]).toEqual([201, path])
  })

  it("creation → no row and no event; key → in no log", async () => {
    const events = async () =>
      json<{ items: ReadonlyArray<unknown> }>(await server.get(`/tenants/${bucket.tenantId}/events?outcome=SUCCESS`))
    const before = await events()
    await send((await create()).url, "x")
    expect(await events()).toEqual(before)
    expect(server.logs.join("\n")).not.toContain("hfu_")
  })

  it("two nodes with one secret → each accepts the other's links; another secret → none", async () => {
    const start = async (fill: number) => {
      const node = await TestServer.start({ signingSecret: new Uint8Array(32).fill(fill) })
      onTestFinished(() => node.close())
      return node
    }
    const [one, two, three] = [await start(1), await start(1), await start(2)]
    const own = await one.makeBucket()
    const input = { maxBytes: 1, expiresIn: 60 }
    const link = await one.run(UploadLinks.use((links) => links.create(Actor.system, own, input)))
    const verify = (node: TestServer.TestServer) =>
      node.run(Effect.result(UploadLinks.use((links) => links.verify(Redacted.value(link.key), own))))
    expect((await verify(two))._tag).toBe("Success")
    expect((await verify(three))._tag).toBe("Failure")
    expect(JSON.stringify(link)).not.toContain("hfu_")
  })

  it("client → an absolute URL", async () => {
    const client = createClient({ url: server.url, apiKey: server.rootKey })
    const { url } = await client.files.uploadUrl({ ...bucket, name: unique(), maxBytes: 5, expiresIn: 60 })
    expect(url.startsWith(`${server.url}/api/v1/`)).toBe(true)
    expect((await fetch(url, { method: "PUT", body: "Hello" })).status).toBe(201)
  })
})
