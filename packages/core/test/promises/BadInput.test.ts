import { fs } from "@holdfast/fs"
import * as Holdfast from "@holdfast/core"
import { sqlite } from "@holdfast/sqlite"
import * as Path from "node:path"
import { Readable } from "node:stream"
import { assert, describe, it } from "vitest"
import { blobsIn, makeDirectory, rejection, setUp } from "./support.ts"

/** Passes an input as a program without types can pass it. */
const untyped = <T>(value: unknown): T => value as T

/** Yields 100 kB, aborts, then yields more. */
async function* abortMidway(controller: AbortController) {
  yield new Uint8Array(100_000)
  controller.abort(new Error("changed my mind"))
  yield new Uint8Array(100_000)
}

describe("Promise API", () => {
  it("upload: input of a wrong type → InvalidRequest at the field, nothing stored", async () => {
    const { bucket, files, holdfast, root } = await setUp()
    const wrong: ReadonlyArray<readonly [unknown, string]> = [
      [{ ...bucket, name: 7, content: "x" }, "/name"],
      [{ ...bucket, content: "x" }, "/name"],
      [{ ...bucket, name: "a", path: "/../", content: "x" }, "/path"],
      [{ ...bucket, name: "a", content: 7 }, "/content"],
      [{ ...bucket, name: "a" }, "/content"],
      [{ ...bucket, name: "a", content: "x", alias: "NO" }, "/alias"],
      [{ ...bucket, name: "a", content: "x", headers: [{ name: "etag", value: "x" }] }, "/headers/0/name"],
      [7, ""],
      [null, ""]
    ]
    for (const [input, pointer] of wrong) {
      const error = await rejection(holdfast.files.upload(root, untyped(input)))
      assert.instanceOf(error, Holdfast.InvalidRequest, JSON.stringify(input))
      assert.strictEqual(error.errors[0]?.pointer, pointer)
    }
    assert.deepStrictEqual(blobsIn(files), [])
  })

  it("metadata of 63 levels → stored; of 64 and 20,000 → InvalidRequest at /metadata, nothing stored", async () => {
    const { bucket, holdfast, root } = await setUp()
    const nest = (levels: number, wrap: (inner: unknown) => unknown): Holdfast.FileMetadata => {
      let value: unknown = wrap("leaf")
      for (let level = 2; level < levels; level++) value = wrap(value)
      return untyped({ value })
    }
    const wraps = [(inner: unknown) => [inner], (inner: unknown) => ({ inner })]
    const metadata = nest(63, (inner) => [inner])
    const { id: fileId } = await holdfast.files.upload(root, { ...bucket, name: "a", content: "x", metadata })
    for (const levels of [64, 20_000]) {
      for (const deep of wraps.map((wrap) => nest(levels, wrap))) {
        const calls = [
          holdfast.files.upload(root, { ...bucket, name: "b", content: "x", metadata: deep }),
          holdfast.files.reserve(root, { ...bucket, name: "b", metadata: deep }),
          holdfast.files.update(root, { ...bucket, fileId, metadata: deep })
        ]
        for (const error of await Promise.all(calls.map(rejection))) {
          assert.instanceOf(error, Holdfast.InvalidRequest)
          assert.deepStrictEqual(error.errors, [{ pointer: "/metadata", detail: "must have at most 63 levels" }])
        }
      }
    }
    const { items } = await holdfast.files.list(root, bucket)
    assert.deepStrictEqual(
      items.map((file) => [file.name, file.metadata]),
      [["a", metadata]]
    )
  })

  it("unknown field that resembles an option → InvalidRequest at the field, nothing done; any other → ignored", async () => {
    const { bucket, holdfast, root } = await setUp()
    const { tenantId } = bucket
    const stored = await holdfast.files.upload(root, { ...bucket, name: "a", content: "x" })
    const file = { ...bucket, fileId: stored.id }
    const page = await holdfast.members.list(root, file)
    const member = { id: page.items[0]?.id ?? "" }
    const link = { ...bucket, maxBytes: 1, expiresIn: 1 }
    const calls: ReadonlyArray<readonly [call: () => Promise<unknown>, pointer: string, detail: string]> = [
      [() => holdfast.files.list(root, untyped({ ...bucket, recursvie: true })), "/recursvie", "recursive"],
      [() => holdfast.files.iterate(root, untyped({ ...bucket, Path: "/a/" })).next(), "/Path", "path"],
      [() => holdfast.files.remove(root, untyped({ ...file, ifmatch: '"x"' })), "/ifmatch", "ifMatch"],
      [
        () => holdfast.files.upload(root, untyped({ ...bucket, name: "b", content: "x", sha265: "" })),
        "/sha265",
        "sha256"
      ],
      [
        () => holdfast.files.uploadUrl(root, untyped({ ...link, contentType: "image/*" })),
        "/contentType",
        "contentTypes"
      ],
      [
        () => holdfast.shares.create(root, untyped({ ...bucket, name: "s", pasword: "secret" })),
        "/pasword",
        "password"
      ],
      [() => holdfast.shares.create(root, untyped({ ...bucket, name: "s", maxViews: 1 })), "/maxViews", "max"],
      [
        () => holdfast.tokens.create(root, untyped({ tenantId, name: "t", member, scopes: { pathPrefix: "/a/" } })),
        "/scopes",
        "scope"
      ],
      [
        () => holdfast.tokens.create(root, untyped({ tenantId, name: "t", member, permissions: ["file:read"] })),
        "/permissions",
        "scope.permissions"
      ],
      [
        () => holdfast.tokens.create(root, { tenantId, name: "t", member, scope: untyped({ prefix: "/a/" }) }),
        "/scope/prefix",
        "pathPrefix"
      ],
      [
        () => holdfast.buckets.create(root, untyped({ tenantId, name: "b", passwordRequired: true })),
        "/passwordRequired",
        "shares.passwordRequired"
      ],
      [() => holdfast.buckets.remove(root, untyped({ ...bucket, froce: true })), "/froce", "force"],
      [() => holdfast.quotas.set(holdfast.system(), untyped({ tenantId, file: 1 })), "/file", "files"]
    ]
    for (const [call, pointer, detail] of calls) {
      const error = await rejection(call())
      assert.instanceOf(error, Holdfast.InvalidRequest, pointer)
      assert.deepStrictEqual(
        error.errors.map((fault) => fault.pointer),
        [pointer]
      )
      assert.include(error.message, detail)
    }
    assert.strictEqual((await holdfast.files.list(root, bucket)).items.length, 1)
    assert.strictEqual((await holdfast.tokens.list(root, bucket)).items.length, 0)

    // TypeScript compiles each of these calls.
    const place = { ...bucket, owner: "ada", note: "x", bucketName: "media", key: 1 }
    const wide = { ...file, ...place }
    const record = { ...stored, ...wide }
    assert.strictEqual((await holdfast.files.get(root, wide)).id, stored.id)
    assert.strictEqual((await holdfast.files.list(root, place)).items.length, 1)
    assert.isString((await holdfast.files.signedUrl(root, { ...record, expiresIn: 60 })).url)
    assert.isString((await holdfast.shares.create(root, { ...wide, name: "s" })).token)
    assert.strictEqual((await holdfast.files.update(root, { ...record, name: "c" })).name, "c")
    assert.isString((await holdfast.buckets.update(root, { ...wide, name: "n" })).id)
  })

  it("many unknown fields → a bounded error", async () => {
    const { bucket, holdfast, root } = await setUp()
    const names = Array.from({ length: 20_000 }, (_, index) => [`limit${index}`, index])
    const error = await rejection(holdfast.files.list(root, untyped({ ...Object.fromEntries(names), ...bucket })))
    assert.instanceOf(error, Holdfast.InvalidRequest)
    assert.isAtMost(error.errors.length, 100)
  })

  it("id that is absent or no text → InvalidRequest at the id", async () => {
    const { bucket, holdfast, root } = await setUp()
    const { tenantId } = bucket
    const calls: ReadonlyArray<readonly [call: () => Promise<unknown>, ...pointers: ReadonlyArray<string>]> = [
      [() => holdfast.files.list(root, untyped(undefined)), "/tenantId", "/bucketId"],
      [() => holdfast.files.list(root, untyped({ tenantId })), "/bucketId"],
      [() => holdfast.files.list(root, untyped(null)), ""],
      [() => holdfast.files.get(root, untyped({ ...bucket, fileId: undefined })), "/fileId"],
      [() => holdfast.files.read(root, untyped({ ...bucket, fileId: 7 })), "/fileId"],
      [() => holdfast.files.exists(root, untyped({ ...bucket, fileId: ["a"] })), "/fileId"],
      [() => holdfast.files.upload(root, untyped({ tenantId, name: "a", content: "x" })), "/bucketId"],
      [() => holdfast.files.iterate(root, untyped({ tenantId: null, bucketId: {} })).next(), "/tenantId", "/bucketId"],
      [() => holdfast.headers.list(root, untyped(bucket)), "/fileId"],
      [() => holdfast.streams.get(root, untyped({ ...bucket, format: "hls" })), "/fileId"],
      [() => holdfast.tokens.revoke(root, untyped({ tenantId })), "/tokenId"],
      [() => holdfast.members.get(root, untyped({ tenantId, memberId: 7 })), "/memberId"],
      [() => holdfast.uploads.abort(root, untyped(bucket)), "/uploadId"],
      [() => holdfast.mirrors.sync(root, untyped(bucket)), "/mirrorId"],
      [() => holdfast.webhooks.delivery(root, untyped({ tenantId, webhookId: "w" })), "/deliveryId"],
      [() => holdfast.keys.revoke(holdfast.system(), untyped({})), "/keyId"]
    ]
    for (const [call, ...pointers] of calls) {
      const error = await rejection(call())
      assert.instanceOf(error, Holdfast.InvalidRequest, String(call))
      assert.deepStrictEqual(
        error.errors.map(({ pointer }) => pointer),
        pointers
      )
    }
  })

  it("condition, cursor, range, length, digest or media type of a wrong type → InvalidRequest at it, nothing stored", async () => {
    const { bucket, files, holdfast, root } = await setUp()
    const file = { ...bucket, fileId: (await holdfast.files.upload(root, { ...bucket, name: "a", content: "x" })).id }
    const stored = blobsIn(files)
    const content = { ...bucket, name: "b", content: "x" }
    const calls: ReadonlyArray<readonly [call: () => Promise<unknown>, pointer: string]> = [
      [() => holdfast.files.remove(root, untyped({ ...file, ifMatch: null })), "/ifMatch"],
      [() => holdfast.files.remove(root, untyped({ ...file, ifNoneMatch: [null] })), "/ifNoneMatch"],
      [() => holdfast.files.reupload(root, untyped({ ...file, content: "y", ifMatch: 7 })), "/ifMatch"],
      [() => holdfast.files.reupload(root, untyped({ ...file, content: "y", contentType: ["a/b"] })), "/contentType"],
      [() => holdfast.files.upload(root, untyped({ ...content, contentType: {} })), "/contentType"],
      [() => holdfast.files.upload(root, untyped({ ...content, length: "1" })), "/length"],
      [() => holdfast.files.upload(root, untyped({ ...content, length: -1 })), "/length"],
      [() => holdfast.files.upload(root, untyped({ ...content, sha256: 7 })), "/sha256"],
      [() => holdfast.files.read(root, untyped({ ...file, range: null })), "/range"],
      [() => holdfast.files.list(root, untyped({ ...bucket, cursor: null })), "/cursor"],
      [() => holdfast.tokens.list(root, untyped({ ...bucket, cursor: 7 })), "/cursor"]
    ]
    for (const [call, pointer] of calls) {
      const error = await rejection(call())
      assert.instanceOf(error, Holdfast.InvalidRequest, pointer)
      assert.deepStrictEqual(
        error.errors.map((fault) => fault.pointer),
        [pointer]
      )
    }
    assert.deepStrictEqual(blobsIn(files), stored)
  })

  it("tokens.create, shares.create: text that is no time of RFC 3339 → InvalidRequest at /expiresAt; time or Date → expires then", async () => {
    const { bucket, holdfast, root } = await setUp()
    const { tenantId } = bucket
    const member = { id: (await holdfast.members.list(root, bucket)).items[0]?.id ?? "" }
    const expiry = new Date(Math.floor(Date.now() / 1000) * 1000 + 86_400_000)
    const create = [
      (expiresAt: string | Date) => holdfast.tokens.create(root, { tenantId, name: "t", member, expiresAt }),
      (expiresAt: string | Date) => holdfast.shares.create(root, { ...bucket, name: "s", expiresAt })
    ]
    for (const one of create) {
      for (const expiresAt of ["foo 9999", "9998-02-30T00:00:00Z", "9998-01-01", untyped<Date>(1e15), new Date(NaN)]) {
        const error = await rejection(one(expiresAt))
        assert.instanceOf(error, Holdfast.InvalidRequest, String(expiresAt))
        assert.strictEqual(error.errors[0]?.pointer, "/expiresAt")
      }
      for (const expiresAt of [expiry, expiry.toISOString()]) {
        assert.deepStrictEqual((await one(expiresAt)).expiresAt, expiry)
      }
    }
  })

  it("list: no actor, or one of another instance → InvalidRequest at /actor", async () => {
    const one = await setUp()
    const two = await setUp()
    for (const actor of [two.root, two.system, "key", null, {}]) {
      const error = await rejection(one.holdfast.files.list(untyped(actor), one.bucket))
      assert.instanceOf(error, Holdfast.InvalidRequest)
      assert.strictEqual(error.errors[0]?.pointer, "/actor")
    }
  })

  it("upload: content fails midway → SourceFailed with its cause, nothing stored", async () => {
    const { bucket, files, holdfast, root } = await setUp()
    const cause = new Error("read error")
    const broken: ReadonlyArray<Holdfast.ContentSource> = [
      Readable.from(
        (async function* () {
          yield new Uint8Array(100_000)
          throw cause
        })()
      ),
      new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(10)),
        pull: (controller) => controller.error(cause)
      })
    ]
    for (const content of broken) {
      const error = await rejection(holdfast.files.upload(root, { ...bucket, name: "a", content }))
      assert.instanceOf(error, Holdfast.SourceFailed)
      assert.strictEqual(error.cause, cause)
    }
    const wrongChunks = await rejection(
      holdfast.files.upload(root, { ...bucket, name: "a", content: untyped([new Uint8Array(3), 7]) })
    )
    assert.instanceOf(wrongChunks, Holdfast.SourceFailed)
    assert.deepStrictEqual(blobsIn(files), [])
    assert.deepStrictEqual((await holdfast.files.list(root, bucket)).items, [])
  })

  it("upload: signal fires before or during the call → Aborted, nothing stored", async () => {
    const { bucket, files, holdfast, root } = await setUp()
    const input = { ...bucket, name: "a" }
    const before = await rejection(
      holdfast.files.upload(root, { ...input, content: "x" }, { signal: AbortSignal.abort("early") })
    )
    assert.instanceOf(before, Holdfast.Aborted)
    assert.strictEqual(before.cause, "early")
    const controller = new AbortController()
    const midway = await rejection(
      holdfast.files.upload(root, { ...input, content: abortMidway(controller) }, { signal: controller.signal })
    )
    assert.instanceOf(midway, Holdfast.Aborted)
    assert.deepStrictEqual(blobsIn(files), [])
    const noSignal = await rejection(holdfast.files.list(root, bucket, untyped({ signal: 7 })))
    assert.instanceOf(noSignal, Holdfast.InvalidRequest)
    assert.strictEqual(noSignal.errors[0]?.pointer, "/signal")
  })

  it("upload: content is not as declared → ContentTooLarge, LengthMismatch or ChecksumMismatch", async () => {
    const { bucket, files, holdfast, root } = await setUp({ settings: { maxUploadBytes: 10 } })
    const upload = (more: object) => rejection(holdfast.files.upload(root, untyped({ ...bucket, name: "a", ...more })))
    assert.instanceOf(await upload({ content: "12345678901" }), Holdfast.ContentTooLarge)
    assert.instanceOf(await upload({ content: "123", length: 4 }), Holdfast.LengthMismatch)
    assert.instanceOf(await upload({ content: "123", sha256: "0".repeat(64) }), Holdfast.ChecksumMismatch)
    assert.deepStrictEqual(blobsIn(files), [])
  })

  it("close: running call and later calls → Closed, nothing stored", async () => {
    const { bucket, files, holdfast, root } = await setUp()
    const running = rejection(
      holdfast.files.upload(root, {
        ...bucket,
        name: "a",
        content: new ReadableStream({ pull: () => new Promise(() => {}) })
      })
    )
    await holdfast.close()
    await holdfast.close()
    assert.instanceOf(await running, Holdfast.Closed)
    assert.instanceOf(await rejection(holdfast.files.list(root, bucket)), Holdfast.Closed)
    assert.deepStrictEqual(blobsIn(files), [])
  })

  it("open: directory is locked by another instance → DirectoryLockError, after its close → opens", async () => {
    const directory = makeDirectory()
    const options = () => ({
      metadata: sqlite({ file: ":memory:" }),
      blobs: fs({ directory: Path.join(directory, "f") })
    })
    {
      await using first = await Holdfast.open(options())
      assert.isFunction(first.close)
      const error = await rejection(Holdfast.open(options()))
      assert.propertyVal(error, "_tag", "DirectoryLockError")
    }
    await using second = await Holdfast.open(options())
    assert.isFunction(second.close)
  })
})
