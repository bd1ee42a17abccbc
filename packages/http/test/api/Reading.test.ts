import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sha256Hex } from "../support/Hashes.ts"
import { expectProblem } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

let server: TestServer.TestServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
let files: string
beforeAll(async () => {
  server = await TestServer.start()
  bucket = await server.makeBucket()
  files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
})
afterAll(() => server.close())

describe("view and download", () => {
  it("GET → the content with its headers", async () => {
    const file = await server.makeFile(bucket, "Hello", { name: "héllo.txt" })
    const view = await server.get(`${file.path}/view`)
    expect([view.status, await view.text()]).toEqual([200, "Hello"])
    expect(Object.fromEntries(view.headers)).toMatchObject({
      "accept-ranges": "bytes",
      "content-disposition": `inline; filename="hello.txt"; filename*=UTF-8''h%C3%A9llo.txt`,
      "content-length": "5",
      "content-type": "text/plain; charset=utf-8",
      etag: `"${sha256Hex("Hello")}"`,
      "last-modified": expect.stringMatching(/ GMT$/),
      "x-content-type-options": "nosniff"
    })
    const download = await server.get(`${file.path}/download`)
    expect([await download.text(), download.headers.get("content-disposition")]).toEqual([
      "Hello",
      `attachment; filename="hello.txt"; filename*=UTF-8''h%C3%A9llo.txt`
    ])
  })

  it("HEAD → the same headers, no body", async () => {
    const file = await server.makeFile(bucket, "Hello")
    const [get, head] = await Promise.all([server.get(`${file.path}/view`), server.head(`${file.path}/view`)])
    const headersOf = (response: Response) =>
      Object.fromEntries(
        [...response.headers].filter(([name]) => !/^(?:connection|keep-alive|date|x-request-id)$/.test(name))
      )
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "5", ""])
    expect(headersOf(head)).toEqual(headersOf(get))
  })

  it("ranges and conditions → 206, 416, 304, 412", async () => {
    const file = await server.makeFile(bucket, "0123456789")
    const read = (headers: Record<string, string>) => server.get(`${file.path}/view`, { headers })
    const part = await read({ range: "bytes=2-4" })
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 2-4/10", "234"])
    const outside = await read({ range: "bytes=10-" })
    expect(outside.headers.get("content-range")).toBe("bytes */10")
    await expectProblem(outside, 416, "range_not_satisfiable")
    const etag = part.headers.get("etag") ?? ""
    const known = await read({ "if-none-match": etag })
    expect([known.status, await known.text(), known.headers.get("etag")]).toEqual([304, "", etag])
    await expectProblem(await read({ "if-match": '"other"' }), 412, "precondition_failed")
  })

  it("path with @alias → the content", async () => {
    await server.makeFile(bucket, "by alias", { alias: "read-me" })
    expect(await (await server.get(`${files}/@read-me/view`)).text()).toBe("by alias")
  })

  it("file of another bucket, bucket of another tenant → 404", async () => {
    const file = await server.makeFile(bucket)
    const other = await server.makeBucket()
    const sibling = await server.makeBucket(bucket.tenantId)
    for (const { bucketId, tenantId } of [other, sibling, { ...bucket, tenantId: other.tenantId }]) {
      const path = `/tenants/${tenantId}/buckets/${bucketId}/files/${file.id}/view`
      await expectProblem(await server.get(path), 404, "not_found")
    }
  })

  it("HTML → sandboxed", async () => {
    const file = await server.makeFile(bucket, "<html><script>1</script></html>", { name: "page.html" })
    expect((await server.get(`${file.path}/view`)).headers.get("content-security-policy")).toMatch(/^sandbox(?:;|$)/)
  })
})

describe("content missing when it is opened", () => {
  /** How many opens find no file, as when the content was replaced in between. */
  let misses = 0
  const missingAtFirst = (directory: string) =>
    Layer.effect(
      BlobStore,
      Effect.map(BlobStore, (store) =>
        BlobStore.of({ ...store, localFile: (key) => (misses-- > 0 ? "/nonexistent" : store.localFile(key)) })
      )
    ).pipe(Layer.provide(FsBlobStore.layer({ directory })))

  let directory: string
  let other: TestServer.TestServer
  let view: string
  beforeAll(async () => {
    directory = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-fleeting-"))
    other = await TestServer.start({ blobs: missingAtFirst(directory) })
    view = `${(await other.makeFile(await other.makeBucket(), "Hello")).path}/view`
  })
  afterAll(async () => {
    await other.close()
    await Fs.rm(directory, { recursive: true })
  })

  it("missing once → its record is read again", async () => {
    misses = 1
    expect(await (await other.get(view)).text()).toBe("Hello")
  })

  it("missing each time → 500", async () => {
    misses = Number.POSITIVE_INFINITY
    await expectProblem(await other.get(view), 500, "content_damaged")
    misses = 0
  })
})
