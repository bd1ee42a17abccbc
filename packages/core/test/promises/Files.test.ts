import * as Holdfast from "@holdfast/core"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Readable } from "node:stream"
import { assert, describe, it } from "vitest"
import { blobsIn, rejection, setUp } from "./support.ts"

const bytes = new TextEncoder().encode("Grüße")

describe("holdfast.files", () => {
  const sources: ReadonlyArray<readonly [string, () => Holdfast.ContentSource]> = [
    ["a string", () => "Grüße"],
    ["a Uint8Array", () => bytes],
    ["an ArrayBuffer", () => bytes.slice().buffer],
    ["a Blob", () => new Blob([bytes])],
    ["a web stream", () => new Blob([bytes]).stream()],
    ["a Node stream", () => Readable.from([bytes.subarray(0, 2), bytes.subarray(2)])],
    [
      "an async iterable of strings",
      async function* () {
        yield "Grü"
        yield "ße"
      }
    ],
    ["an iterable of chunks", () => [bytes.subarray(0, 1), bytes.subarray(1)]]
  ]
  for (const [name, source] of sources) {
    it(`upload: ${name} → read returns it as text, bytes, a Blob and a Response`, async () => {
      const { bucket, holdfast, root } = await setUp()
      const file = await holdfast.files.upload(root, { ...bucket, name: "a.txt", path: "/x", content: source() })
      assert.strictEqual(file.state, "READY")
      assert.strictEqual(file.path, "/x/")
      assert.instanceOf(file.createdAt, Date)
      const download = await holdfast.files.read(root, { ...bucket, fileId: file.id })
      assert.strictEqual(download.size, bytes.length)
      assert.strictEqual(await download.text(), "Grüße")
      assert.deepStrictEqual(await download.bytes(), bytes)
      assert.deepStrictEqual([download.etag, download.contentType], [file.etag, "text/plain; charset=utf-8"])
      const blob = await download.blob()
      assert.deepStrictEqual([blob.type, await blob.text()], ["text/plain; charset=utf-8", "Grüße"])
      const response = download.response()
      assert.strictEqual(response.headers.get("etag"), file.etag)
      assert.strictEqual(response.headers.get("content-type"), "text/plain; charset=utf-8")
      assert.strictEqual(await response.text(), "Grüße")
    })
  }

  it("read: stored bytes are truncated → ContentDamaged", async () => {
    const { bucket, files, holdfast, root } = await setUp()
    const content = new Uint8Array(100_000)
    const { id } = await holdfast.files.upload(root, { ...bucket, name: "a", content })
    for (const blob of blobsIn(files)) Fs.truncateSync(Path.join(files, blob), 50_000)
    const download = await holdfast.files.read(root, { ...bucket, fileId: id })
    assert.instanceOf(await rejection(download.bytes()), Holdfast.ContentDamaged)
  })

  it("read: own Cache-Control and Content-Type → response() excludes shared caches and has the policy of the type", async () => {
    const { bucket, holdfast, root } = await setUp()
    const headers = [
      { name: "Cache-Control", value: "public, max-age=60" },
      { name: "Content-Type", value: "text/html" }
    ]
    const { id } = await holdfast.files.upload(root, { ...bucket, name: "a", content: "x", headers })
    const response = (await holdfast.files.read(root, { ...bucket, fileId: id })).response()
    assert.strictEqual(response.headers.get("cache-control"), "private, max-age=60")
    assert.match(response.headers.get("content-security-policy") ?? "", /^sandbox; default-src 'none'/)
    await response.text()
  })

  it("signedUrl, uploadUrl: baseUrl is a URL, a path or absent → address below it; anything else → InvalidRequest", async () => {
    const { bucket, holdfast, root } = await setUp({ secretKey: new Uint8Array(32).fill(1) })
    const { id: fileId } = await holdfast.files.upload(root, { ...bucket, name: "a", content: "x" })
    const link = (baseUrl?: string) => holdfast.files.signedUrl(root, { ...bucket, fileId, expiresIn: 60, baseUrl })
    const path = `/api/v1/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    for (const [baseUrl, base] of [
      [undefined, ""],
      ["/", ""],
      ["/store", "/store"],
      ["/a/store/", "/a/store"],
      ["https://files.example.com/store/", "https://files.example.com/store"]
    ] as const) {
      assert.isTrue((await link(baseUrl)).url.startsWith(`${base}${path}/${fileId}/view?apiKey=hfl_`), baseUrl)
      const upload = { ...bucket, name: "b", maxBytes: 1, expiresIn: 60, baseUrl }
      assert.isTrue((await holdfast.files.uploadUrl(root, upload)).url.startsWith(`${base}${path}/upload?apiKey=hfu_`))
    }
    for (const baseUrl of [
      "store",
      "//store",
      "/\\store",
      "/store?a",
      "/store#a",
      "/a store",
      "https://a/?b",
      "javascript:b"
    ]) {
      const failure = await rejection(link(baseUrl))
      assert.instanceOf(failure, Holdfast.InvalidRequest)
      assert.deepStrictEqual(failure.errors[0]?.pointer, "/baseUrl", baseUrl)
    }
  })

  it("publicUrl of open → addresses begin with it; baseUrl of a call → with that", async () => {
    const publicUrl = "https://app.example.com/storage/"
    const { bucket, holdfast, root } = await setUp({ publicUrl, secretKey: new Uint8Array(32).fill(1) })
    const { id: fileId } = await holdfast.files.upload(root, { ...bucket, name: "a", content: "x" })
    const addressesOf = async (baseUrl?: string) => [
      (await holdfast.files.signedUrl(root, { ...bucket, fileId, expiresIn: 60, baseUrl })).url,
      (await holdfast.files.uploadUrl(root, { ...bucket, name: "b", maxBytes: 1, expiresIn: 60, baseUrl })).url,
      (await holdfast.shares.create(root, { ...bucket, fileId, name: "for Bob", baseUrl })).url
    ]
    for (const [baseUrl, base] of [
      [undefined, "https://app.example.com/storage"],
      ["https://files.example.com", "https://files.example.com"],
      ["/", ""]
    ] as const) {
      const [link = "", uploadLink = "", share = ""] = await addressesOf(baseUrl)
      assert.isTrue(link.startsWith(`${base}/api/v1/tenants/`), link)
      assert.isTrue(uploadLink.startsWith(`${base}/api/v1/tenants/`), uploadLink)
      assert.isTrue(share.startsWith(`${base}/s/`), share)
    }
  })

  it("metadata with a lone surrogate, content type with a line break → InvalidRequest with the pointer", async () => {
    const { bucket, holdfast, root } = await setUp()
    const metadata = { list: ["fine", "\udc00"] }
    const pointersOf = (promise: Promise<unknown>) =>
      promise.then(
        () => [],
        (error: unknown) => (error instanceof Holdfast.InvalidRequest ? error.errors.map(({ pointer }) => pointer) : [])
      )
    const content = "x"
    assert.deepStrictEqual(await pointersOf(holdfast.files.reserve(root, { ...bucket, name: "a", metadata })), [
      "/metadata/list/1"
    ])
    assert.deepStrictEqual(
      await pointersOf(
        holdfast.files.upload(root, { ...bucket, name: "a", content, contentType: "text/plain\r\nx: y" })
      ),
      ["/contentType"]
    )
  })

  it("read: range within the content → its bytes, range beyond it → InvalidRequest at /range", async () => {
    const { bucket, holdfast, root } = await setUp()
    const { id } = await holdfast.files.upload(root, { ...bucket, name: "a", content: "0123456789" })
    const part = await holdfast.files.read(root, { ...bucket, fileId: id, range: { offset: 2, length: 3 } })
    assert.strictEqual(await part.text(), "234")
    const response = part.response()
    assert.strictEqual(response.status, 206)
    assert.strictEqual(response.headers.get("content-range"), "bytes 2-4/10")
    assert.strictEqual(
      await (await holdfast.files.read(root, { ...bucket, fileId: id, range: { offset: 8 } })).text(),
      "89"
    )
    for (const [suffix, text] of [
      [2, "89"],
      [11, "0123456789"]
    ] as const) {
      const end = await holdfast.files.read(root, { ...bucket, fileId: id, range: { suffix } })
      assert.deepStrictEqual([await end.text(), end.length, end.response().status], [text, text.length, 206])
    }
    for (const range of [
      { offset: -1 },
      { offset: 11 },
      { offset: 0, length: 11 },
      { offset: 0.5 },
      { suffix: -1 },
      { suffix: 0.5 }
    ]) {
      const error = await holdfast.files.read(root, { ...bucket, fileId: id, range }).catch((caught: unknown) => caught)
      assert.instanceOf(error, Holdfast.InvalidRequest)
      assert.strictEqual(error.errors[0]?.pointer, "/range")
    }
  })

  it("reupload: a reader has the former content open → it reads the former bytes, later readers the new ones", async () => {
    const { bucket, holdfast, root } = await setUp()
    const reserved = await holdfast.files.reserve(root, { ...bucket, name: "a", alias: "first", metadata: { n: 1 } })
    assert.strictEqual(reserved.state, "RESERVED")
    const ref = { ...bucket, fileId: "@first" }
    const missing = await holdfast.files.read(root, ref).catch((caught: unknown) => caught)
    assert.instanceOf(missing, Holdfast.ContentNotUploaded)
    const one = await holdfast.files.reupload(root, { ...ref, content: "one" })
    const reader = await holdfast.files.read(root, ref)
    const two = await holdfast.files.reupload(root, { ...ref, content: "two", ifMatch: [one.etag ?? ""] })
    assert.strictEqual(await reader.text(), "one")
    assert.strictEqual(await (await holdfast.files.read(root, ref)).text(), "two")
    assert.deepInclude(two, { id: reserved.id, version: 2, alias: "first", metadata: { n: 1 } })
    for (const ifMatch of [[one.etag ?? ""], one.etag ?? ""]) {
      const late = await holdfast.files
        .reupload(root, { ...ref, content: "three", ifMatch })
        .catch((caught: unknown) => caught)
      assert.instanceOf(late, Holdfast.PreconditionFailed)
    }
    const three = await holdfast.files.reupload(root, { ...ref, content: "three", ifMatch: two.etag ?? "" })
    assert.strictEqual(three.version, 3)
  })

  it("list, update, headers, remove: each is visible to the next call", async () => {
    const { bucket, holdfast, root } = await setUp()
    const { id } = await holdfast.files.upload(root, { ...bucket, name: "a", path: "/x/y", content: "" })
    const ref = { ...bucket, fileId: id }
    assert.deepStrictEqual((await holdfast.files.list(root, bucket)).folders, ["/x/"])
    await holdfast.files.update(root, { ...ref, path: "/", name: "b" })
    const set = await holdfast.headers.setAll(root, { ...ref, bulk: [{ name: "x-a", value: "1" }] })
    assert.deepStrictEqual(set, { items: [{ name: "x-a", value: "1" }] })
    await holdfast.headers.set(root, { ...ref, name: "X-A", value: "2" })
    assert.deepStrictEqual(await holdfast.headers.list(root, ref), {
      items: [{ name: "X-A", value: "2" }],
      nextCursor: null
    })
    const page = await holdfast.files.list(root, { ...bucket, expands: ["SIZE"] })
    assert.deepStrictEqual(
      page.items.map(({ expands, name }) => [name, expands?.size?.human]),
      [["b", "0 B"]]
    )
    await holdfast.headers.remove(root, { ...ref, name: "x-a" })
    await holdfast.files.remove(root, ref)
    const gone = await holdfast.files.get(root, ref).catch((caught: unknown) => caught)
    assert.instanceOf(gone, Holdfast.NotFound)
    assert.strictEqual(gone.code, "not_found")
  })
})

describe("rules of a bucket", () => {
  it("content too large or of another type → ContentTooLarge, TypeNotAllowed, and no blob is left", async () => {
    const { bucket, files, holdfast, root } = await setUp()
    const updated = await holdfast.buckets.update(root, { ...bucket, maxFileBytes: 5, allowedTypes: ["text/*"] })
    assert.deepEqual([updated.maxFileBytes, updated.allowedTypes], [5, ["text/*"]])
    const upload = (name: string, content: string) => holdfast.files.upload(root, { ...bucket, name, content })
    await upload("a.txt", "12345")
    const before = blobsIn(files)
    assert.instanceOf(await rejection(upload("b.txt", "123456")), Holdfast.ContentTooLarge)
    assert.instanceOf(await rejection(upload("c.pdf", "%PDF-")), Holdfast.TypeNotAllowed)
    assert.deepEqual(blobsIn(files), before)
  })
})
