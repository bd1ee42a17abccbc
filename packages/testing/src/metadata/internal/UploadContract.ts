/**
 * The contract of `UploadRepository`, and of the completion of an upload by `FileRepository`.
 */
import { expect } from "@effect/vitest"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Content } from "@holdfast/core/files/File"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import type { StoredUpload } from "@holdfast/core/uploads/Upload"
import { UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import { UsageRepository } from "@holdfast/core/usage/UsageRepository"
import { unlimited, within } from "@holdfast/core/usage/UsageLimits"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Fixtures from "../Fixtures.ts"
import * as Sample from "../Sample.ts"
import { assembly, open, put, refOf, sample } from "./UploadFixtures.ts"
import * as MirrorFixtures from "../mirrors/MirrorFixtures.ts"
import type { It } from "./It.ts"

const composite = (blobId: string, size: number): Content => ({
  ...Sample.content(blobId),
  sha256: null,
  isComposite: true,
  size
})

const stateOf = (blobId: string) => Effect.map(Fixtures.blob(blobId), (row) => row?.state)

const reserved = (bucket: BucketRef) =>
  Effect.flatMap(UsageRepository, (usage) => Effect.map(usage.ofBucket(bucket), ({ reservedBytes }) => reservedBytes))

export const uploadContract = (it: It): void => {
  it.effect("create: upload → found with all fields and listed; other bucket, other tenant → none", () =>
    Effect.gen(function* () {
      const uploads = yield* UploadRepository
      const bucket = yield* Fixtures.bucket()
      const other = yield* Fixtures.bucket(bucket.tenantId)
      const upload = yield* open(bucket, { length: 10, mode: "PARTS" })
      expect(Option.getOrThrow(yield* uploads.find(refOf(upload))).upload).toEqual(upload)
      expect(yield* uploads.list({ bucket, now: Sample.at(), limit: 10 })).toEqual([upload])
      expect(yield* uploads.list({ bucket, now: Sample.at(), limit: 10, after: upload.id })).toEqual([])
      expect(yield* uploads.list({ bucket, now: Sample.at(60_000), limit: 10 })).toEqual([])
      expect(yield* uploads.list({ bucket: other, now: Sample.at(), limit: 10 })).toEqual([])
      for (const ref of [other, { ...bucket, tenantId: yield* Fixtures.tenant }]) {
        expect(Option.isNone(yield* uploads.find({ ...ref, uploadId: upload.id }))).toBe(true)
      }
      const most = { maxOpen: 100, maxOfLink: 2 }
      const foreign = yield* Effect.flip(uploads.create(sample({ ...bucket, bucketId: Sample.id("bkt") }), most))
      expect(foreign).toMatchObject({ _tag: "NotFound", resource: "bucket" })
    })
  )

  it.effect("create: as many open uploads as permitted → QuotaExceeded; one of them aborted → created", () =>
    Effect.gen(function* () {
      const uploads = yield* UploadRepository
      const bucket = yield* Fixtures.bucket()
      const [first] = [yield* open(bucket), yield* open(bucket)]
      const refused = yield* Effect.flip(uploads.create(sample(bucket), { maxOpen: 2, maxOfLink: 2 }))
      expect(refused).toMatchObject({ _tag: "QuotaExceeded", quota: { maximum: 2, use: 2 } })
      yield* uploads.abort(refOf(first))
      yield* uploads.create(sample(bucket), { maxOpen: 2, maxOfLink: 2 })
    })
  )

  it.effect(
    "create: as many open uploads of a link as permitted → QuotaExceeded; of another link, or completed → created",
    () =>
      Effect.gen(function* () {
        const uploads = yield* UploadRepository
        const bucket = yield* Fixtures.bucket()
        const { terms } = sample(bucket)
        const openOf = (link: string) => open(bucket, { terms: { ...terms, link } })
        const [first] = [yield* openOf("one"), yield* openOf("one")]
        const quota = { limit: "uploadsPerLink", maximum: 2, use: 2 }
        expect(yield* Effect.flip(openOf("one"))).toMatchObject({ _tag: "QuotaExceeded", quota })
        yield* openOf("other")
        yield* open(bucket)
        yield* uploads.abort(refOf(first))
        yield* openOf("one")
      })
  )

  it.effect(
    "create: client of a link has as many open uploads as are free → QuotaExceeded; another client → created, until none is free",
    () =>
      Effect.gen(function* () {
        const uploads = yield* UploadRepository
        const bucket = yield* Fixtures.bucket()
        const terms = { ...sample(bucket).terms, link: "shared" }
        const create = (client: string) => {
          const upload = sample(bucket, { terms, client })
          return Effect.as(uploads.create(upload, { maxOpen: 100, maxOfLink: 8 }), upload)
        }
        const fill = Effect.fnUntraced(function* (client: string) {
          const open: Array<StoredUpload> = []
          while (true) {
            const created = yield* Effect.result(create(client))
            if (Result.isFailure(created)) return { open, error: created.failure }
            open.push(created.success)
          }
        })
        const first = yield* fill("one")
        expect(first.open).toHaveLength(4)
        expect(first.error).toMatchObject({ quota: { limit: "uploadsPerClient", maximum: 4, use: 4 } })
        expect(Option.getOrThrow(yield* uploads.find(refOf(first.open[0] ?? sample(bucket)))).upload.client).toBe("one")
        expect((yield* fill("two")).open).toHaveLength(2)
        expect((yield* fill("three")).open).toHaveLength(1)
        expect((yield* fill("four")).open).toHaveLength(1)
        expect(yield* fill("five")).toMatchObject({
          open: [],
          error: { quota: { limit: "uploadsPerLink", maximum: 8 } }
        })
        for (const upload of first.open.slice(0, 1)) yield* uploads.abort(refOf(upload))
        expect(yield* Effect.flip(create("one"))).toMatchObject({ quota: { limit: "uploadsPerClient" } })
        yield* create("five")
      })
  )

  it.effect("addPart: appends in order → offset grows; other offset or former epoch → UploadSuperseded", () =>
    Effect.gen(function* () {
      const uploads = yield* UploadRepository
      const bucket = yield* Fixtures.bucket()
      const upload = yield* open(bucket)
      const { blobId, stored } = yield* put(upload, { offset: 0, epoch: 0 }, 7, "a")
      expect(stored).toMatchObject({ received: 7, revision: 1, expiresAt: Sample.at(90_000) })
      expect(Option.getOrThrow(yield* uploads.find(refOf(upload))).upload).toEqual(stored)
      expect(yield* Fixtures.blob(blobId)).toMatchObject({ state: "READY", size: 7, isPart: true, fileId: null })
      expect(yield* Effect.flip(put(upload, { offset: 0, epoch: 0 }, 5))).toMatchObject({ _tag: "UploadSuperseded" })
      const taken = Option.getOrThrow(yield* uploads.takeOver(refOf(upload), Sample.at()))
      expect(taken).toMatchObject({ epoch: 1, received: 7 })
      expect(yield* Effect.flip(put(upload, { offset: 7, epoch: 0 }, 5))).toMatchObject({ _tag: "UploadSuperseded" })
      yield* put(upload, { offset: 7, epoch: 1 }, 5)
      const parts = yield* uploads.listParts({ blobId: upload.blobId, limit: 10 })
      expect(parts.map(({ number, size, tag }) => [number, size, tag])).toEqual([
        [1, 7, "a"],
        [2, 5, null]
      ])
      expect(yield* uploads.listParts({ blobId: upload.blobId, limit: 10, after: 1 })).toEqual(parts.slice(1))
    })
  )

  it.effect(
    "completion: partial uploads in another order → their parts and bytes in that order, one reservation; again → NotFound",
    () =>
      Effect.gen(function* () {
        const uploads = yield* UploadRepository
        const files = yield* FileRepository
        const bucket = yield* Fixtures.bucket()
        const first = yield* open(bucket, { length: 12 })
        const [head, tail] = [
          yield* put(first, { offset: 0, epoch: 0 }, 7),
          yield* put(first, { offset: 7, epoch: 0 }, 5)
        ]
        const second = yield* open(bucket, { length: 3 })
        const last = yield* put(second, { offset: 0, epoch: 0 }, 3)
        const empty = yield* open(bucket, { length: 0 })
        const partials = [
          { id: second.id, parts: 1, bytes: 3 },
          { id: empty.id, parts: 0, bytes: 0 },
          { id: first.id, parts: 2, bytes: 12 }
        ]
        const openFinal = open(bucket, { length: 15, received: 15, terms: { ...first.terms, partials } })
        const [upload, other] = [yield* openFinal, yield* openFinal]
        expect(Option.getOrThrow(yield* uploads.find(refOf(upload))).upload).toEqual(upload)
        expect(yield* reserved(bucket)).toBe(15)
        const complete = (final: StoredUpload, joined = partials) => {
          const file = Sample.file({ version: 1, content: composite(final.blobId, 15) })
          return files.insert(bucket, file, { ...assembly(final, 0, [1, 2, 3]), partials: joined })
        }
        const stale = partials.map(({ bytes, id }) => ({ id, parts: 1, bytes }))
        expect(yield* Effect.flip(complete(upload, stale))).toMatchObject({ _tag: "UploadExpired" })
        yield* within({ ...unlimited, bucket: { files: null, bytes: 15 } })(complete(upload))
        const starts = yield* (yield* BlobRepository).listParts({ blobId: upload.blobId, offset: 0, limit: 10 })
        expect(starts.map(({ blobId, start }) => [blobId, start])).toEqual([
          [last.blobId, 0],
          [head.blobId, 3],
          [tail.blobId, 10]
        ])
        expect(yield* reserved(bucket)).toBe(0)
        for (const partial of [first, second, empty]) {
          const found = Option.getOrThrow(yield* uploads.find(refOf(partial))).upload
          expect([found.state, found.terms.joinedBy]).toEqual(["DEAD", upload.id])
          expect(yield* stateOf(partial.blobId)).toBe("DOOMED")
        }
        // Their blobs are swept without the parts.
        yield* (yield* BlobRepository).forget([first.blobId, second.blobId, empty.blobId])
        for (const { blobId } of [head, tail, last]) expect(yield* stateOf(blobId)).toBe("READY")
        expect(yield* Effect.flip(complete(other))).toMatchObject({ _tag: "NotFound" })
        expect(Option.getOrThrow(yield* uploads.find(refOf(other))).upload.state).toBe("OPEN")
      })
  )

  it.effect(
    "completion: one partial upload of one part → plain content, with the reservation of the partial upload",
    () =>
      Effect.gen(function* () {
        const bucket = yield* Fixtures.bucket()
        const partial = yield* open(bucket, { length: 5 })
        const { blobId } = yield* put(partial, { offset: 0, epoch: 0 }, 5)
        const partials = [{ id: partial.id, parts: 1, bytes: 5 }]
        const upload = yield* open(bucket, { length: 5, received: 5, terms: { ...partial.terms, partials } })
        const file = Sample.file({ version: 1, content: { ...Sample.content(blobId), size: 5 } })
        yield* within({ ...unlimited, bucket: { files: null, bytes: 5 } })(
          (yield* FileRepository).insert(bucket, file, { ...assembly(upload, 0, [1]), partials })
        )
        expect([yield* stateOf(blobId), yield* stateOf(upload.blobId)]).toEqual(["READY", "DOOMED"])
        expect(yield* reserved(bucket)).toBe(0)
      })
  )

  it.effect("abort, expiry of an upload of partial ones → these stay as they are", () =>
    Effect.gen(function* () {
      const uploads = yield* UploadRepository
      const bucket = yield* Fixtures.bucket()
      const partial = yield* open(bucket, { length: 5, expiresAt: Sample.at(90_000) })
      const { blobId, stored } = yield* put(partial, { offset: 0, epoch: 0 }, 5)
      const partials = [{ id: partial.id, parts: 1, bytes: 5 }]
      const openFinal = open(bucket, { length: 5, received: 5, terms: { ...partial.terms, partials } })
      yield* uploads.abort(refOf(yield* openFinal))
      yield* openFinal
      yield* uploads.deleteExpired({ now: Sample.at(60_000), limit: 1000 })
      yield* (yield* BlobRepository).expire("all")
      expect(Option.getOrThrow(yield* uploads.find(refOf(partial))).upload).toEqual(stored)
      expect(yield* uploads.listParts({ blobId: partial.blobId, limit: 10 })).toMatchObject([{ number: 1, blobId }])
    })
  )

  it.effect("addPart: 8 appends at one offset at once → exactly one succeeds", () =>
    Effect.gen(function* () {
      const upload = yield* open(yield* Fixtures.bucket())
      const results = yield* Fixtures.concurrently(8, () => put(upload, { offset: 0, epoch: 0 }, 3))
      expect(results.filter(Result.isSuccess)).toHaveLength(1)
      const found = yield* (yield* UploadRepository).find(refOf(upload))
      expect(Option.getOrThrow(found).upload).toMatchObject({ received: 3, revision: 1 })
    })
  )

  it.effect("addPart: number sent again → last part counts, former blob DOOMED", () =>
    Effect.gen(function* () {
      const uploads = yield* UploadRepository
      const upload = yield* open(yield* Fixtures.bucket(), { mode: "PARTS" })
      const first = yield* put(upload, { number: 4 }, 100)
      const { blobId, stored } = yield* put(upload, { number: 4 }, 30)
      expect(stored.received).toBe(30)
      expect(yield* stateOf(first.blobId)).toBe("DOOMED")
      const parts = yield* uploads.listParts({ blobId: upload.blobId, limit: 10 })
      expect(parts).toMatchObject([{ number: 4, size: 30, blobId }])
    })
  )

  it.effect("addPart: upload aborted, expired or its bucket removed → NotFound, blob stays PENDING", () =>
    Effect.gen(function* () {
      const uploads = yield* UploadRepository
      const bucket = yield* Fixtures.bucket()
      const [aborted, expired, swept, removed] = [
        yield* open(bucket),
        yield* open(bucket, { expiresAt: Sample.at() }),
        yield* open(bucket, { expiresAt: Sample.at(-80_000_000) }),
        yield* open(yield* Fixtures.bucket(bucket.tenantId))
      ]
      yield* uploads.abort(refOf(aborted))
      expect(yield* Effect.flip(uploads.abort(refOf(aborted)))).toMatchObject({ resource: "upload" })
      yield* (yield* BlobRepository).expire({ before: Sample.at(-79_999_999) })
      const { bucketId, tenantId } = removed
      const another = yield* Fixtures.stage(removed)
      yield* (yield* BucketRepository).remove({
        bucket: { tenantId, bucketId },
        force: true,
        sweepAt: Sample.at()
      })
      for (const upload of [aborted, expired, swept]) {
        const refused = yield* Effect.flip(put(upload, { offset: 0, epoch: 0 }, 5))
        expect(refused).toMatchObject({ _tag: "NotFound", resource: "upload" })
      }
      expect(yield* stateOf(another)).toBe("PENDING")
      expect(yield* stateOf(removed.blobId)).toBe("DOOMED")
      expect(yield* stateOf(aborted.blobId)).toBe("DOOMED")
      expect(Option.isNone(yield* uploads.takeOver(refOf(expired), Sample.at()))).toBe(true)
    })
  )

  it.effect("expire: all → blob of an open upload stays; its expiry → DOOMED with its parts when it is forgotten", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const uploads = yield* UploadRepository
      const upload = yield* open(yield* Fixtures.bucket())
      const { blobId } = yield* put(upload, { offset: 0, epoch: 0 }, 5)
      yield* blobs.expire("all")
      expect([yield* stateOf(upload.blobId), yield* stateOf(blobId)]).toEqual(["PENDING", "READY"])
      expect(yield* blobs.doomUnreferenced([blobId], Sample.at())).toBe(0)
      yield* blobs.expire({ before: Sample.at(90_001) })
      expect([yield* stateOf(upload.blobId), yield* stateOf(blobId)]).toEqual(["DOOMED", "READY"])
      yield* blobs.forget([upload.blobId])
      expect([yield* stateOf(upload.blobId), yield* stateOf(blobId)]).toEqual([undefined, "DOOMED"])
      expect(yield* Fixtures.isDue(blobId, Sample.at())).toBe(true)
      expect(yield* uploads.deleteExpired({ now: Sample.at(90_000), limit: 1000 })).toBeGreaterThan(0)
      expect(Option.isNone(yield* uploads.find(refOf(upload)))).toBe(true)
    })
  )

  it.effect("prolong: open upload → its record and its blob last until the new time; aborted → NotFound", () =>
    Effect.gen(function* () {
      const uploads = yield* UploadRepository
      const upload = yield* open(yield* Fixtures.bucket())
      const terms = { upload: refOf(upload), expiresAt: Sample.at(300_000) }
      yield* uploads.prolong(terms)
      const found = Option.getOrThrow(yield* uploads.find(refOf(upload))).upload
      expect(found).toEqual({ ...upload, expiresAt: terms.expiresAt })
      yield* (yield* BlobRepository).expire({ before: Sample.at(299_999) })
      expect(yield* stateOf(upload.blobId)).toBe("PENDING")
      yield* uploads.abort(refOf(upload))
      expect(yield* Effect.flip(uploads.prolong(terms))).toMatchObject({ _tag: "NotFound", resource: "upload" })
    })
  )

  it.effect("completion: parts of an append upload → composite content, parts found by offset, upload DONE", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const bucket = yield* Fixtures.bucket()
      const upload = yield* open(bucket)
      const ids: Array<string> = []
      for (const offset of [0, 10, 20, 30]) ids.push((yield* put(upload, { offset, epoch: 0 }, 10)).blobId)
      const content = composite(upload.blobId, 40)
      const file = Sample.file({ version: 1, content })
      const files = yield* FileRepository
      yield* files.insert(bucket, file, assembly(upload, 4, [1, 2, 3, 4]))
      expect(Option.getOrThrow(yield* files.find(bucket, Fixtures.byId(file.id)))).toEqual(file)
      const whole = { state: "READY", fileId: file.id, hasParts: true, isPart: false, sha256: null }
      expect(yield* Fixtures.blob(upload.blobId)).toMatchObject(whole)
      expect(yield* Fixtures.blob(ids[2] ?? "")).toMatchObject({ state: "READY", fileId: file.id, isPart: true })
      const partsAt = (offset: number, limit = 10) => blobs.listParts({ blobId: upload.blobId, offset, limit })
      const expected = ids.map((blobId, index) => ({ blobId, start: index * 10, size: 10, tag: null }))
      expect(yield* partsAt(0)).toEqual(expected)
      expect(yield* partsAt(19, 2)).toEqual(expected.slice(1, 3))
      expect(yield* partsAt(30)).toEqual(expected.slice(3))
      const done = Option.getOrThrow(yield* (yield* UploadRepository).find(refOf(upload))).upload
      expect(done).toMatchObject({ state: "DONE", answer: JSON.stringify({ name: file.name }) })
      const again = yield* Effect.flip(
        files.insert(bucket, Sample.file({ version: 1, content }), assembly(done, 4, [1]))
      )
      expect(again).toMatchObject({ _tag: "NotFound", resource: "upload" })
      expect(yield* reserved(bucket)).toBe(0)
    })
  )

  it.effect("completion: some parts in the order of their numbers → others DOOMED; former content DOOMED", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const former = yield* Fixtures.store(bucket)
      const upload = yield* open(bucket, { mode: "PARTS" })
      const third = yield* put(upload, { number: 30 }, 5, "tag")
      const first = yield* put(upload, { number: 10 }, 7)
      const unused = yield* put(upload, { number: 20 }, 6)
      const replacement = {
        bucket,
        fileId: former.id,
        content: composite(upload.blobId, 12),
        condition: {},
        sweepAt: Sample.at()
      }
      const changed = yield* Effect.flip(
        files.replaceContent({ ...replacement, assembly: assembly(upload, 2, [10, 30]) })
      )
      expect(changed).toMatchObject({ _tag: "UploadExpired" })
      yield* files.replaceContent({ ...replacement, assembly: assembly(upload, 3, [10, 30]) })
      expect(yield* blobs.listParts({ blobId: upload.blobId, offset: 0, limit: 10 })).toEqual([
        { blobId: first.blobId, start: 0, size: 7, tag: null },
        { blobId: third.blobId, start: 7, size: 5, tag: "tag" }
      ])
      const states = yield* Effect.forEach([upload.blobId, unused.blobId, former.content.blobId], stateOf)
      expect(states).toEqual(["READY", "DOOMED", "DOOMED"])
      yield* files.remove({ bucket, selector: Fixtures.byId(former.id), condition: {}, sweepAt: Sample.at() })
      expect(yield* stateOf(first.blobId)).toBe("READY")
      yield* blobs.forget([upload.blobId])
      expect(yield* stateOf(first.blobId)).toBe("DOOMED")
    })
  )

  it.effect("completion: one part → plain content with the blob of the part, blob of the upload DOOMED", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const upload = yield* open(bucket, { length: 5 })
      expect(yield* reserved(bucket)).toBe(5)
      const { blobId, part } = yield* put(upload, { offset: 0, epoch: 0 }, 5)
      const content = { ...Sample.content(blobId), size: 5, sha256: part.sha256 }
      const file = Sample.file({ version: 1, content })
      yield* files.insert(bucket, file, assembly(upload, 1, [1]))
      expect(Option.getOrThrow(yield* files.find(bucket, Fixtures.byId(file.id)))).toEqual(file)
      const blob = { state: "READY", fileId: file.id, isPart: false, hasParts: null, sha256: part.sha256 }
      expect(yield* Fixtures.blob(blobId)).toMatchObject(blob)
      yield* (yield* BlobRepository).forget([upload.blobId])
      expect([yield* stateOf(upload.blobId), yield* stateOf(blobId)]).toEqual([undefined, "READY"])
      expect(yield* reserved(bucket)).toBe(0)
    })
  )

  it.effect(
    "digest: composite content → claimed once, mirrors wait; recorded → in the file, task of the mirror due",
    () =>
      Effect.gen(function* () {
        const uploads = yield* UploadRepository
        const files = yield* FileRepository
        const { bucket, mirror } = yield* MirrorFixtures.create(yield* Fixtures.bucket())
        const upload = yield* open(bucket)
        yield* put(upload, { offset: 0, epoch: 0 }, 10)
        const second = yield* put(upload, { offset: 10, epoch: 0 }, 10)
        const file = Sample.file({ version: 1, content: composite(upload.blobId, 20) })
        yield* files.insert(bucket, file, assembly(upload, 2, [1, 2]))
        expect(yield* MirrorFixtures.claim(mirror)).toEqual([])
        const claim = (offset: number) =>
          uploads.claimDigest({ now: Sample.at(offset), leaseUntil: Sample.at(offset + 100) })
        // Other tests of the same store have left contents.
        const claimed: Array<string> = []
        for (let found = yield* claim(0); Option.isSome(found); found = yield* claim(0))
          claimed.push(found.value.blobId)
        expect(claimed.filter((blobId) => blobId === upload.blobId)).toHaveLength(1)
        const sha256 = Sample.hash()
        const { findWhole } = yield* BlobRepository
        expect(Option.isNone(yield* findWhole(second.blobId))).toBe(true)
        yield* uploads.recordDigest({ blobId: upload.blobId, sha256 })
        expect(yield* findWhole(second.blobId)).toEqual(Option.some({ fileId: file.id, sha256, start: 10 }))
        expect(Option.isNone(yield* findWhole(upload.blobId))).toBe(true)
        const stored = Option.getOrThrow(yield* files.find(bucket, Fixtures.byId(file.id)))
        expect(stored.content).toMatchObject({ sha256, isComposite: true })
        expect(yield* MirrorFixtures.claim(mirror)).toMatchObject([
          { fileId: file.id, write: { file: { id: file.id } } }
        ])
      })
  )

  it.effect("limits on bytes: parts and declared length → reserved, more than the limit → QuotaExceeded", () =>
    Effect.gen(function* () {
      const uploads = yield* UploadRepository
      const bucket = yield* Fixtures.bucket()
      const limited = within({ ...unlimited, tenant: { files: null, bytes: 100 } })
      const upload = yield* limited(open(bucket, { length: 60 }))
      const quota = { owner: "tenant", limit: "bytes" }
      expect(yield* Effect.flip(limited(open(bucket, { length: 50 })))).toMatchObject({ quota })
      yield* limited(put(upload, { offset: 0, epoch: 0 }, 40))
      expect(yield* reserved(bucket)).toBe(60)
      const other = yield* limited(open(bucket))
      expect(yield* Effect.flip(limited(put(other, { offset: 0, epoch: 0 }, 41)))).toMatchObject({ quota })
      yield* limited(put(other, { offset: 0, epoch: 0 }, 30))
      expect(
        yield* Effect.flip(limited(uploads.declareLength(refOf(other), { length: 41, now: Sample.at() })))
      ).toMatchObject({ quota })
      expect(yield* limited(uploads.declareLength(refOf(other), { length: 40, now: Sample.at() }))).toMatchObject({
        length: 40,
        received: 30
      })
      expect(yield* reserved(bucket)).toBe(100)
      yield* uploads.abort(refOf(other))
      expect(yield* reserved(bucket)).toBe(60)
    })
  )

  it.effect("limits on bytes: upload replaces a content → reserves what it adds; completed at the limit", () =>
    Effect.gen(function* () {
      const [files, uploads] = [yield* FileRepository, yield* UploadRepository]
      const bucket = yield* Fixtures.bucket()
      const size = 100
      const content = { ...Sample.content(yield* Fixtures.stage(bucket)), size }
      const file = Sample.file({ version: 1, content, path: "/a/", name: "b" })
      yield* files.insert(bucket, { ...file, content })
      const replacing = { replacedFileId: file.id, terms: { ...sample(bucket).terms, description: file } }
      const limited = within({ ...unlimited, tenant: { files: null, bytes: 110 } })
      const quota = { owner: "tenant", limit: "bytes" }

      const declared = { ...replacing, length: 111 }
      expect(yield* Effect.flip(limited(open(bucket, declared)))).toMatchObject({ quota })
      const whole = yield* limited(open(bucket, { ...declared, length: 105 }))
      expect([yield* reserved(bucket), yield* uploads.replacedBytes(whole)]).toEqual([5, size])
      yield* uploads.abort(refOf(whole))
      expect(yield* reserved(bucket)).toBe(0)

      const upload = yield* limited(open(bucket, { ...replacing, mode: "PARTS" }))
      const found = Option.getOrThrow(yield* uploads.find(refOf(upload)))
      expect(found.upload.replacedFileId).toBe(file.id)
      yield* limited(put(upload, { number: 1 }, 60))
      expect(yield* reserved(bucket)).toBe(0)
      expect(yield* Effect.flip(limited(put(upload, { number: 2 }, 51)))).toMatchObject({ quota })
      yield* limited(put(upload, { number: 2 }, 50))
      expect(yield* reserved(bucket)).toBe(10)
      yield* limited(put(upload, { number: 2 }, 45))
      expect(yield* reserved(bucket)).toBe(5)
      yield* limited(put(upload, { number: 2 }, 50))
      yield* limited(
        files.replaceContent({
          bucket,
          fileId: file.id,
          condition: {},
          content: composite(upload.blobId, 110),
          sweepAt: Sample.at(),
          assembly: assembly(upload, 4, [1, 2])
        })
      )
      const usage = yield* (yield* UsageRepository).ofBucket(bucket)
      expect([usage.contentBytes, usage.reservedBytes]).toEqual([110, 0])
    })
  )

  it.effect("limits on bytes: another open upload replaces the content, the file is gone → all bytes reserved", () =>
    Effect.gen(function* () {
      const [files, uploads] = [yield* FileRepository, yield* UploadRepository]
      const bucket = yield* Fixtures.bucket()
      const content = { ...Sample.content(yield* Fixtures.stage(bucket)), size: 100 }
      const file = Sample.file({ version: 1, content, name: "b" })
      yield* files.insert(bucket, { ...file, content })
      const replacing = { replacedFileId: file.id, terms: { ...sample(bucket).terms, description: file } }
      const openBoth = Effect.all([open(bucket, replacing), open(bucket, replacing)], { concurrency: 2 })
      const found = yield* Effect.forEach(yield* openBoth, (upload) => uploads.find(refOf(upload)))
      const [first, second] = found
        .map(Option.getOrThrow)
        .map(({ upload }) => upload)
        .toSorted((one) => (one.replacedFileId === null ? 1 : -1))
      if (first === undefined || second === undefined) throw new Error("Both uploads were created.")
      expect([first.replacedFileId, second.replacedFileId]).toEqual([file.id, null])
      yield* put(first, { offset: 0, epoch: 0 }, 60)
      yield* put(second, { offset: 0, epoch: 0 }, 60)
      expect(yield* reserved(bucket)).toBe(60)
      // Its place is that of the file no more: the completion would store another file.
      yield* files.update({ bucket, selector: Fixtures.byId(file.id), change: { name: "c" }, at: Sample.at() })
      expect(yield* uploads.replacedBytes(first)).toBe(0)
      yield* put(first, { offset: 60, epoch: 0 }, 10)
      expect(yield* reserved(bucket)).toBe(130)
      yield* uploads.abort(refOf(first))
      const next = yield* open(bucket, replacing)
      expect(Option.getOrThrow(yield* uploads.find(refOf(next))).upload.replacedFileId).toBe(file.id)
      yield* uploads.abort(refOf(second))
      yield* uploads.abort(refOf(next))
      expect(yield* reserved(bucket)).toBe(0)
    })
  )
}
