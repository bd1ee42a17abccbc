/**
 * Small uploads that are answered without the router, beside the same uploads by the router.
 */
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Effect from "effect/Effect"
import { afterAll, assert, beforeAll, describe, expect, it } from "vitest"
import { digestHeader } from "../support/Hashes.ts"
import * as TestServer from "../support/TestServer.ts"
import { form } from "./Forms.ts"
import * as RawClient from "./RawClient.ts"

interface Recorded {
  readonly id: string
  readonly name: string
  readonly etag: string
}

describe("uploads without the router", () => {
  let server: TestServer.TestServer
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let files: string
  let count = 100

  beforeAll(async () => {
    server = await TestServer.start({ settings: { maxUploadBytes: 40_000 } })
    bucket = await server.makeBucket()
    files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
  })
  afterAll(() => server.close())

  const reserve = async (name = `reserved-${++count}.txt`): Promise<string> => {
    const { id } = (await (await server.post(files, { json: { name, path: "/" } })).json()) as Recorded
    return `${files}/${id}`
  }

  const send = async (
    method: "POST" | "PUT",
    path: string,
    body: NonNullable<RequestInit["body"]>,
    headers: Record<string, string> = {},
    key = server.rootKey
  ) => {
    const before = server.routed()
    const options = { body, headers: { "x-request-id": "same", ...headers }, key }
    const response = await server.request(method, path, options)
    const { date: _, ...others } = Object.fromEntries(response.headers)
    return {
      routed: server.routed() - before,
      status: response.status,
      headers: others,
      body: (await response.json()) as Record<string, unknown>
    }
  }

  /** Replaces what differs between two files that are stored the same way. */
  const alike = ({ body, headers, status }: Awaited<ReturnType<typeof send>>) => ({
    status,
    headers: { ...headers, location: headers["location"]?.replace(String(body["id"]), "ID") },
    body: { ...body, id: "ID", name: "NAME", createdAt: "TIME", updatedAt: "TIME" }
  })

  const described = (description: object) => () =>
    form(["body", JSON.stringify({ name: `form-${++count}`, ...description })], ["file", new Blob(["in a form"])])

  const stored: ReadonlyArray<
    readonly [name: string, send: (query: string) => Promise<Awaited<ReturnType<typeof send>>>, status: number]
  > = [
    ["reupload", async (query) => send("POST", `${await reserve()}/reupload${query}`, "content"), 200],
    ["PUT", (query) => send("PUT", `${files}/upload${query}name=put-${++count}.txt`, "content"), 201],
    [
      "PUT into a folder, type detected",
      (query) => send("PUT", `${files}/upload${query}name=%C3%A4-${++count}&path=%2Fa%2F`, "<!doctype html>"),
      201
    ],
    ["form", (query) => send("POST", `${files}/upload${query}`, described({ metadata: { a: "b" } })()), 201],
    [
      "form with its description last",
      (query) => {
        const parts = form(["file", new Blob(["last"])], ["body", `{"name":"last-${++count}"}`])
        return send("POST", `${files}/upload${query}`, parts)
      },
      201
    ],
    [
      "form with an empty file",
      (query) =>
        send("POST", `${files}/upload${query}`, form(["body", `{"name":"empty-${++count}"}`], ["file", new Blob([])])),
      201
    ],
    [
      "PUT, content replaced",
      async (query) => {
        const name = `replaced-${++count}.txt`
        await send("PUT", `${files}/upload?name=${name}`, "old")
        return send("PUT", `${files}/upload${query}name=${name}&onConflict=replace`, "new")
      },
      200
    ]
  ]
  for (const [name, upload, status] of stored) {
    it(`${name} → the answer of the router, without it`, async () => {
      // The router ignores a parameter that no operation has.
      const [direct, expected] = [await upload("?"), await upload("?x=&")]
      assert.strictEqual(direct.status, status, JSON.stringify(direct.body))
      assert.isAbove(expected.routed, direct.routed)
      assert.deepStrictEqual(alike(direct), alike(expected))
      const view = (answer: typeof direct) => server.get(`${files}/${String(answer.body["id"])}/view`)
      assert.strictEqual(await (await view(direct)).text(), await (await view(expected)).text())
    })
  }

  const refused: ReadonlyArray<
    readonly [
      name: string,
      status: number,
      (
        query: string
      ) => readonly [path: string, body: NonNullable<RequestInit["body"]>, headers?: Record<string, string>]
    ]
  > = [
    ["name taken", 409, (query) => [`${query}name=taken.txt`, "x"]],
    ["If-Match does not hold", 412, (query) => [`${query}name=new.txt`, "x", { "if-match": '"x"' }]],
    ["If-None-Match: *, name taken", 412, (query) => [`${query}name=taken.txt`, "x", { "if-none-match": "*" }]],
    ["digest differs", 400, (query) => [`${query}name=n.txt`, "x", { "repr-digest": digestHeader("y") }]],
    ["If-Match malformed", 400, (query) => [`${query}name=n.txt`, "x", { "if-match": "x" }]],
    ["form as the content", 415, (query) => [`${query}name=n.txt`, described({})()]],
    ["no name", 400, (query) => [query, "x"]],
    ["invalid name", 400, (query) => [`${query}name=..`, "x"]]
  ]
  for (const [name, status, upload] of refused) {
    it(`PUT: ${name} → ${status}, the problem of the router, nothing stored`, async () => {
      await send("PUT", `${files}/upload?name=taken.txt`, "old")
      const blobs = () =>
        server.run(BlobRepository.use(({ list }) => Effect.map(list({ limit: 1000 }), (rows) => rows.length)))
      const before = await blobs()
      const [direct, expected] = await Promise.all(
        ["?", "?x=&"].map((query) => {
          const [parameters, body, headers = {}] = upload(query)
          return send("PUT", `${files}/upload${parameters}`, body, headers)
        })
      )
      assert.strictEqual(direct?.status, status, JSON.stringify(direct?.body))
      assert.deepStrictEqual(direct?.body, expected?.body)
      assert.deepStrictEqual(direct?.headers, expected?.headers)
      await expect.poll(blobs).toBe(before)
    })
  }

  it("permission: unknown key → 401, other tenant → 403, reader → 403, removed key → 401, content unchanged", async () => {
    const file = await reserve()
    const reupload = (key: string) => send("POST", `${file}/reupload`, "x", {}, key)
    assert.deepInclude(await reupload(`hf_${"A".repeat(49)}`), { status: 401, routed: 1 })
    const other = await server.makeTenant()
    assert.deepInclude(await reupload(await server.makeToken(other.tenantId, "Admin")), { status: 403, routed: 1 })
    const reader = await server.makeToken(bucket.tenantId, "File Reader")
    assert.deepInclude(await reupload(reader), { status: 403, routed: 1 })
    const writer = await server.makeToken(bucket.tenantId, "File Writer")
    assert.deepInclude(await reupload(writer), { status: 200, routed: 0 })
    const tokens = `/tenants/${bucket.tenantId}/tokens`
    const { items } = (await (await server.get(tokens)).json()) as { items: ReadonlyArray<{ id: string }> }
    for (const { id } of items) await server.delete(`${tokens}/${id}`)
    assert.deepInclude(await reupload(writer), { status: 401, routed: 1 })
    const { version } = (await (await server.get(file)).json()) as { version: number }
    assert.strictEqual(version, 1)
  })

  const left: ReadonlyArray<readonly [name: string, status: number, Record<string, string>, string?]> = [
    ["answer as XML", 406, { accept: "text/xml" }],
    ["resumable", 200, { "upload-complete": "?1" }],
    ["two keys", 400, {}, "?apiKey=hf_other"],
    ["parameter twice", 200, {}, "?x=1&x=1"]
  ]
  for (const [name, status, headers, query = ""] of left) {
    it(`reupload: ${name} → ${status} by the router`, async () => {
      const response = await send("POST", `${await reserve()}/reupload${query}`, "x", headers)
      assert.deepInclude(response, { status, routed: 1 })
    })
  }

  it("reupload: file unknown → 404, content above the limit → 413", async () => {
    const file = await reserve()
    const unknown = `${file.slice(0, -12)}000000000000`
    assert.deepInclude(await send("POST", `${unknown}/reupload`, "x"), { status: 404 })
    assert.deepInclude(await send("POST", `${file}/reupload`, "x".repeat(40_001)), { status: 413, routed: 1 })
    assert.deepInclude(await send("POST", `${file}/reupload`, "x".repeat(40_000)), { status: 200, routed: 0 })
  })

  it("reupload: body in several pieces → 200, the whole content", async () => {
    const file = await reserve()
    const connection = await RawClient.connect(server.url)
    await connection.write(
      RawClient.head("POST", `/api/v1${file}/reupload`, { "X-Api-Key": server.rootKey, "Content-Length": 9 })
    )
    for (const piece of ["one", "two", "six"]) await connection.write(piece)
    assert.strictEqual((await connection.response()).status, 200)
    assert.strictEqual(await (await server.get(`${file}/view`)).text(), "onetwosix")
  })

  it("reupload: body shorter than declared → no answer, content unchanged", async () => {
    const file = await reserve()
    const connection = await RawClient.connect(server.url)
    await connection.write(
      RawClient.head("POST", `/api/v1${file}/reupload`, { "X-Api-Key": server.rootKey, "Content-Length": 9 })
    )
    await connection.write("one")
    connection.socket.end()
    await connection.response().catch(() => undefined)
    const { version } = (await (await server.get(file)).json()) as { version: number }
    assert.strictEqual(version, 0)
  })

  it("reupload: client disconnects within the body → content unchanged, no blob", async () => {
    const file = await reserve()
    const connection = await RawClient.connect(server.url)
    await connection.write(
      RawClient.head("POST", `/api/v1${file}/reupload`, { "X-Api-Key": server.rootKey, "Content-Length": 5000 })
    )
    await connection.write(Buffer.alloc(2000))
    connection.socket.destroy()
    const { version } = (await (await server.get(file)).json()) as { version: number }
    assert.strictEqual(version, 0)
  })
})
