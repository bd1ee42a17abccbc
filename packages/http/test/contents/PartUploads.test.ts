/**
 * Uploads in parts, and the contents that they make: read over HTTP as any other content.
 */
import * as ApiKey from "@holdfast/core/access/ApiKey"
import * as Actor from "@holdfast/core/Actor"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type * as FileHooks from "@holdfast/core/files/hooks/FileHooks"
import { ChangeRefused } from "@holdfast/core/files/hooks/HookErrors"
import { DamageRepository } from "@holdfast/core/integrity/DamageRepository"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import { Sweeper } from "@holdfast/core/storage/Sweeper"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import { Fsck } from "@holdfast/core/storage/Fsck"
import * as ContentDigests from "@holdfast/core/uploads/ContentDigests"
import { type NewUpload, ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import { type UploadRef, UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { createHash, randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as NodeContentHasher from "../../src/server/compose/NodeContentHasher.ts"
import * as EachDatabase from "../support/EachDatabase.ts"
import * as TestServer from "../support/TestServer.ts"

const actor = Actor.system

/** A content whose connection is cut after these bytes. */
const cut = (bytes: Uint8Array) => Stream.concat(Stream.make(bytes), Stream.fail("cut" as const))

const create = Effect.fnUntraced(function* (bucket: BucketRef, options: NewUpload = {}, name = "movie.bin") {
  const upload = yield* (yield* ResumableUploads).create(actor, bucket, { name }, options)
  return { ...bucket, uploadId: upload.id }
})

const append = (ref: UploadRef, offset: number, bytes: Uint8Array) =>
  Effect.flatMap(ResumableUploads, (uploads) => uploads.append(actor, ref, Stream.make(bytes), { offset }))

const complete = (ref: UploadRef) => Effect.flatMap(ResumableUploads, (uploads) => uploads.complete(actor, ref))

/** Uploads parts of these sizes, and completes the upload. Returns the file and the bytes. */
const upload = Effect.fnUntraced(function* (bucket: BucketRef, sizes: ReadonlyArray<number>) {
  const uploads = yield* ResumableUploads
  const ref = yield* create(bucket, { mode: "PARTS" })
  const parts = sizes.map((size) => randomBytes(size))
  // The last one first: the numbers are the order.
  for (const [index, bytes] of [...parts.entries()].toReversed()) {
    yield* uploads.putPart(actor, ref, Stream.make(new Uint8Array(bytes)), { number: index * 10 + 1 })
  }
  return { file: yield* uploads.complete(actor, ref), bytes: Buffer.concat(parts), ref }
})

const declareReads = (current: () => TestServer.TestServer) => {
  it("composite content: whole, ranges within and across parts, HEAD, 304 → the bytes of the parts in order", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    const { bytes, file } = await server.run(upload(bucket, [70_000, 1, 300_000, 5]))
    const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files/${file.id}/view`
    expect(file).toMatchObject({ checksum: null, version: 1, state: "READY" })
    const read = async (range?: string) => {
      const answer = await server.get(path, { headers: range === undefined ? {} : { range } })
      return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) }
    }
    const whole = await read()
    expect(whole.status).toBe(200)
    expect(whole.body.equals(bytes)).toBe(true)
    expect(whole.headers.get("etag")).toBe(file.etag)
    const ranges = [
      [0, 0],
      [69_999, 70_002],
      [70_001, 135_000],
      [10, 60_000],
      [0, 370_000],
      [370_000, 370_005]
    ] as const
    for (const [first, last] of ranges) {
      const { body, status } = await read(`bytes=${first}-${last}`)
      expect([status, body.equals(bytes.subarray(first, last + 1))]).toEqual([206, true])
    }
    const several = await read("bytes=5-8,69999-70001")
    expect(several.status).toBe(206)
    expect(several.body.includes(bytes.subarray(5, 9))).toBe(true)
    expect(several.body.includes(bytes.subarray(69_999, 70_002))).toBe(true)
    const head = await server.request("HEAD", path)
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(bytes.length)])
    const current304 = await server.get(path, { headers: { "if-none-match": file.etag ?? "" } })
    expect(current304.status).toBe(304)
  })
}

EachDatabase.describeEach("uploads in parts", (current) => {
  declareReads(current)

  it("append: cut connection → bytes that arrived are kept, next append continues, file has all bytes", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    const bytes = new Uint8Array(randomBytes(100_000))
    const file = await server.run(
      Effect.gen(function* () {
        const uploads = yield* ResumableUploads
        const ref = yield* create(bucket, { length: bytes.length })
        const failed = uploads.append(actor, ref, cut(bytes.slice(0, 40_000)), { offset: 0 })
        expect(yield* Effect.flip(failed)).toBe("cut")
        expect(yield* Effect.flip(append(ref, 0, bytes))).toMatchObject({ _tag: "OffsetMismatch", offset: 40_000 })
        expect(yield* Effect.flip(complete(ref))).toMatchObject({ _tag: "UploadIncomplete", received: 40_000 })
        expect(yield* uploads.resume(actor, ref)).toMatchObject({ received: 40_000, state: "OPEN" })
        const more = new Uint8Array(60_001)
        expect(yield* Effect.flip(append(ref, 40_000, more))).toMatchObject({ _tag: "ContentTooLarge" })
        yield* append(ref, (yield* uploads.resume(actor, ref)).received, bytes.slice(40_000))
        const first = yield* complete(ref)
        expect(yield* complete(ref)).toEqual(first)
        expect(yield* Effect.flip(append(ref, 100_000, bytes))).toMatchObject({ resource: "upload" })
        return first
      })
    )
    const answer = await server.get(`/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files/${file.id}/view`)
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
  })

  it("append: second request while the first one waits for its client → first ends, its bytes are kept", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    await server.run(
      Effect.gen(function* () {
        const uploads = yield* ResumableUploads
        const ref = yield* create(bucket)
        const pulled = yield* Deferred.make<void>()
        const stalled = Stream.make(new Uint8Array(1000)).pipe(
          Stream.concat(Stream.fromEffect(Effect.andThen(Deferred.succeed(pulled, undefined), Effect.never)))
        )
        const first = yield* Effect.forkChild(Effect.result(uploads.append(actor, ref, stalled, { offset: 0 })))
        yield* Deferred.await(pulled)
        const { received } = yield* uploads.resume(actor, ref)
        expect(received).toBe(1000)
        yield* append(ref, received, new Uint8Array(5))
        expect(yield* Fiber.join(first)).toMatchObject({ failure: { _tag: "UploadSuperseded" } })
        const interrupted = yield* Effect.forkChild(uploads.append(actor, ref, stalled, { offset: 1005 }))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(interrupted)
        const after = (yield* uploads.resume(actor, ref)).received
        expect([1005, 2005]).toContain(after)
      })
    )
  })

  it("complete: one part → plain content with its SHA-256; no bytes → empty content", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    const bytes = new Uint8Array(randomBytes(1000))
    const [file, empty] = await server.run(
      Effect.gen(function* () {
        const ref = yield* create(bucket)
        yield* append(ref, 0, bytes)
        return [yield* complete(ref), yield* complete(yield* create(bucket, { length: 0 }, "empty"))] as const
      })
    )
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    expect(file).toMatchObject({ checksum: { sha256 }, etag: `"${sha256}"`, name: "movie.bin" })
    expect(empty.checksum?.sha256).toBe(createHash("sha256").digest("hex"))
  })

  it("complete: listed part missing, out of order, with another tag or too small → InvalidRequest that names it", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    await server.run(
      Effect.gen(function* () {
        const uploads = yield* ResumableUploads
        const ref = yield* create(bucket, { mode: "PARTS" })
        for (const number of [1, 2]) {
          yield* uploads.putPart(actor, ref, Stream.make(new Uint8Array(10)), { number, tag: () => `tag-${number}` })
        }
        const wrong = [
          [{ number: 3 }],
          [{ number: 2 }, { number: 1 }],
          [{ number: 1, tag: "other" }],
          [{ number: 1, sha256: "00" }],
          []
        ]
        for (const parts of wrong) {
          const refused = yield* Effect.flip(uploads.complete(actor, ref, { parts }))
          expect(refused).toMatchObject({ _tag: "InvalidRequest" })
        }
        const small = uploads.complete(actor, ref, { minPartBytes: 11 })
        expect(yield* Effect.flip(small)).toMatchObject({ errors: [{ pointer: "/parts/0" }] })
        const mismatch = uploads.putPart(actor, ref, Stream.make(new Uint8Array(10)), { number: 1, sha256: "00" })
        expect(yield* Effect.flip(mismatch)).toMatchObject({ _tag: "ChecksumMismatch" })
        const parts = [
          { number: 1, tag: "tag-1" },
          { number: 2, tag: "tag-2" }
        ]
        expect(yield* uploads.complete(actor, ref, { parts, etag: '"mine-2"' })).toMatchObject({ etag: '"mine-2"' })
      })
    )
  })

  it("complete: parts without bytes → left out, contents of the others are read and hashed", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    const sizes = [0, 1000, 0, 0, 70_000, 0]
    const { bytes, file } = await server.run(
      Effect.tap(upload(bucket, sizes), () => Effect.provide(ContentDigests.computeAll, NodeContentHasher.layer))
    )
    const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    const view = await server.get(`${path}/${file.id}/view`)
    expect(Buffer.from(await view.arrayBuffer()).equals(bytes)).toBe(true)
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    expect(await (await server.get(`${path}/${file.id}`)).json()).toMatchObject({ checksum: { sha256 } })

    const other = await server.makeBucket()
    const empty = await server.run(upload(other, [0, 0]))
    expect(empty.file).toMatchObject({ checksum: { sha256: createHash("sha256").digest("hex") } })
    expect((await server.run(Effect.flatMap(Fsck, (fsck) => fsck.check()))).findings).toBe(0)
  })

  it("append: declared length not a number, below what arrived, above the limit, other than before → refused", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    await server.run(
      Effect.gen(function* () {
        const uploads = yield* ResumableUploads
        const ref = yield* create(bucket)
        yield* append(ref, 0, new Uint8Array(10))
        const declare = (length: number) => uploads.append(actor, ref, Stream.empty, { offset: 10, length })
        for (const length of [Number.NaN, -1, 1.5, 9]) {
          expect(yield* Effect.flip(declare(length))).toMatchObject({ errors: [{ pointer: "/length" }] })
        }
        expect(yield* Effect.flip(declare(Number.MAX_SAFE_INTEGER))).toMatchObject({ _tag: "ContentTooLarge" })
        expect(yield* declare(11)).toMatchObject({ length: 11, received: 10 })
        expect(yield* declare(11)).toMatchObject({ length: 11 })
        expect(yield* Effect.flip(declare(12))).toMatchObject({ errors: [{ pointer: "/length" }] })
        yield* append(ref, 10, new Uint8Array(1))
        const listed = uploads.complete(actor, ref, { parts: [{ number: 2 }] })
        expect(yield* Effect.flip(listed)).toMatchObject({ errors: [{ pointer: "/parts" }] })
        expect(yield* complete(ref)).toMatchObject({ state: "READY" })
      })
    )
  })

  it("complete: file created at the place meanwhile → FileExists, upload stays open; reader's rights → Forbidden", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    const key = await server.makeToken(bucket.tenantId, "File Reader")
    const answer = await server.run(
      Effect.gen(function* () {
        const uploads = yield* ResumableUploads
        const ref = yield* create(bucket)
        yield* append(ref, 0, new Uint8Array(10))
        const other = yield* create(bucket)
        yield* append(other, 0, new Uint8Array(10))
        const { id } = yield* complete(ref)
        expect(yield* Effect.flip(complete(other))).toMatchObject({ _tag: "FileExists", existingId: id })
        expect(yield* Effect.flip(create(bucket))).toMatchObject({ _tag: "FileExists", existingId: id })
        const page = yield* uploads.list(actor, bucket)
        expect(page.items.map((open) => open.id)).toEqual([other.uploadId])
        const reader = yield* ApiKey.identify(key)
        for (const refused of [
          uploads.complete(reader, other),
          uploads.abort(reader, other),
          uploads.get(reader, other)
        ]) {
          expect(yield* Effect.flip<unknown, unknown, never>(refused)).toMatchObject({ _tag: "Forbidden" })
        }
        yield* uploads.abort(actor, other)
        expect(yield* Effect.flip(uploads.get(actor, other))).toMatchObject({ resource: "upload" })
        return yield* uploads.list(actor, bucket)
      })
    )
    expect(answer.items).toEqual([])
  })

  it("digest: computed in the background → checksum of the bytes in order, entity tag unchanged", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    const { bytes, file } = await server.run(
      Effect.tap(upload(bucket, [200_000, 1, 50_000]), () =>
        Effect.provide(ContentDigests.computeAll, NodeContentHasher.layer)
      )
    )
    const record = await server.get(`/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files/${file.id}`)
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    expect(await record.json()).toMatchObject({ checksum: { sha256 }, etag: file.etag })
  })

  it("digest: bytes of a part are not those that arrived → no checksum; restored → checksum", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    await server.run(
      Effect.gen(function* () {
        const { bytes, file } = yield* upload(bucket, [1000, 2000])
        const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files/${file.id}`
        const record = Effect.promise(async () => (await server.get(path)).json())
        const compute = Effect.provide(ContentDigests.computeAll, NodeContentHasher.layer)
        const blobs = yield* BlobStore
        const entries = yield* Stream.runCollect(blobs.list(`${bucket.tenantId}/${bucket.bucketId}/`))
        const { key = "" } = entries.find(({ size }) => size === 2000) ?? {}
        yield* blobs.put(key, Stream.make(new Uint8Array(2000)))
        yield* compute
        expect(yield* record).toMatchObject({ checksum: null })

        yield* blobs.put(key, Stream.make(new Uint8Array(bytes.subarray(1000))))
        const now = yield* DateTime.now
        // Ends the wait until the next attempt.
        yield* (yield* UploadRepository).claimDigest({ now: DateTime.add(now, { hours: 1 }), leaseUntil: now })
        yield* compute
        const sha256 = createHash("sha256").update(bytes).digest("hex")
        expect(yield* record).toMatchObject({ checksum: { sha256 } })
      })
    )
  })

  it("part damaged: reader gets content_damaged; restored → served", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    const { bytes, file } = await server.run(upload(bucket, [1000, 2000]))
    const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files/${file.id}`
    await server.run(
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const damages = yield* DamageRepository
        const entries = yield* Stream.runCollect(blobs.list(`${bucket.tenantId}/${bucket.bucketId}/`))
        const { key = "" } = entries.find(({ size }) => size === 2000) ?? {}
        const blob = BlobKey.parse(key) ?? { tenantId: "", bucketId: "", blobId: "" }
        yield* blobs.put(key, Stream.make(new Uint8Array(1999)))
        const view = Effect.promise(() => server.get(`${path}/view`, { headers: { range: "bytes=1500-2500" } }))
        expect((yield* view).status).toBe(500)
        yield* damages.record({ blob, kind: "WrongSize", at: yield* DateTime.now })
        const record = Effect.promise(async () => (await server.get(path)).json())
        expect(yield* record).toMatchObject({ damaged: true })
        expect((yield* (yield* Fsck).check()).lost).toBe(1)
        yield* blobs.put(key, Stream.make(new Uint8Array(bytes.subarray(1000))))
        yield* damages.clear(blob.blobId)
        expect(yield* record).toMatchObject({ damaged: false })
        expect((yield* view).status).toBe(206)
      })
    )
  })

  it("sweep and check: removed composite and aborted upload → no blob left, no finding", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    await server.run(
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const { file } = yield* upload(bucket, [10, 20, 30])
        const aborted = yield* create(bucket, {}, "other")
        yield* append(aborted, 0, new Uint8Array(10))
        const report = yield* (yield* Fsck).check()
        expect(report.findings).toBe(0)
        yield* (yield* ResumableUploads).abort(actor, aborted)
        const count = Effect.map(Stream.runCollect(blobs.list(`${bucket.tenantId}/`)), (entries) => entries.length)
        expect(yield* count).toBe(4)
        yield* Effect.promise(() =>
          server.request("DELETE", `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files/${file.id}`)
        )
        const { sweep } = yield* Sweeper
        // The sweep that forgets an upload finds its parts; the grace period keeps those of the file.
        yield* sweep({ expireAllUploads: true })
        expect(yield* count).toBe(3)
        expect((yield* (yield* Fsck).check()).findings).toBe(0)
      })
    )
  })
})

describe("uploads in parts, a store without local files", () => {
  let server: TestServer.TestServer
  /** Runs once, before the next read of a content. */
  let meanwhile: Effect.Effect<unknown> = Effect.void
  beforeAll(async () => {
    const inner = await Effect.runPromise(MemoryBlobStore.make)
    const read: BlobStore["Service"]["read"] = (key, options) =>
      Stream.unwrap(
        Effect.suspend(() => {
          const first = meanwhile
          meanwhile = Effect.void
          return Effect.as(first, inner.read(key, options))
        })
      )
    server = await TestServer.start({ blobs: Layer.succeed(BlobStore, BlobStore.of({ ...inner, read })) })
  })
  afterAll(() => server.close())
  declareReads(() => server)

  it("complete: first part replaced or upload aborted and swept before it is read → the new part; NotFound", async () => {
    const bucket = await server.makeBucket()
    await server.run(
      Effect.gen(function* () {
        const uploads = yield* ResumableUploads
        const { sweep } = yield* Sweeper
        const put = (ref: UploadRef, text: string) =>
          uploads.putPart(actor, ref, Stream.make(new TextEncoder().encode(text)), { number: 1 })
        const replaced = yield* create(bucket, { mode: "PARTS" })
        yield* put(replaced, "former")
        meanwhile = Effect.orDie(Effect.andThen(put(replaced, "other"), sweep()))
        expect(yield* complete(replaced)).toMatchObject({
          version: 1,
          checksum: { sha256: createHash("sha256").update("other").digest("hex") }
        })
        const aborted = yield* create(bucket, { mode: "PARTS" }, "aborted.bin")
        yield* put(aborted, "former")
        meanwhile = Effect.orDie(Effect.andThen(uploads.abort(actor, aborted), sweep()))
        expect(yield* Effect.flip(complete(aborted))).toMatchObject({ _tag: "NotFound", resource: "upload" })
      })
    )
  })
})

describe("uploads in parts, with a hook", () => {
  const seen: Array<string> = []
  let server: TestServer.TestServer
  beforeAll(async () => {
    const before = ({ content, file }: FileHooks.Upload) =>
      Effect.gen(function* () {
        seen.push(Buffer.concat(yield* Stream.runCollect(content)).toString())
        if (file.name === "refused") return yield* new ChangeRefused({ reason: "refused" })
      })
    server = await TestServer.start({ hooks: { onUpload: { before } } })
  })
  afterAll(() => server.close())

  it("complete: hook reads all parts; it refuses → ChangeRefused, upload stays open", async () => {
    const bucket = await server.makeBucket()
    const parts = ["Hello ", "World"].map((text) => new TextEncoder().encode(text))
    const run = (name: string) =>
      Effect.gen(function* () {
        const uploads = yield* ResumableUploads
        const ref = yield* create(bucket, { mode: "PARTS" }, name)
        for (const [index, part] of parts.entries()) {
          yield* uploads.putPart(actor, ref, Stream.make(part), { number: index + 1 })
        }
        return { ref, result: yield* Effect.result(uploads.complete(actor, ref)) }
      })
    await server.run(
      Effect.gen(function* () {
        expect(Result.isSuccess((yield* run("permitted")).result)).toBe(true)
        const { ref, result } = yield* run("refused")
        expect(Result.isFailure(result) && result.failure).toMatchObject({ _tag: "ChangeRefused" })
        expect(yield* (yield* ResumableUploads).get(actor, ref)).toMatchObject({ state: "OPEN" })
        expect(seen).toEqual(["Hello World", "Hello World"])
      })
    )
  })
})
