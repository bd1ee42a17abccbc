/**
 * The contract of `FileRepository.insert` and `find`.
 */
import { expect } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

const names = [
  "plain.txt",
  "Ünïcödé 日本語.pdf",
  "👩‍👩‍👧 \u{10ffff}.png",
  " spaces ",
  "quote\"'`;--.sql",
  "100%_*?.txt",
  "back\\slash",
  "$1 ? :a @b",
  "ﬀ"
]

/** Unusual values of all fields that the models allow. */
const odd = {
  path: "/Ordner/日本/😀/",
  alias: "an.alias_1-x",
  version: 3,
  metadata: { a: [1, 2.5, null, true, { "": "\u0000 \ud800" }], ["__proto__"]: "x", big: 1e300, ключ: "é" },
  headers: [
    { name: "X-Empty", value: "" },
    { name: "cache-control", value: 'max-age="60", x\u00ff' }
  ]
}

export const fileContract = (it: It): void => {
  it.effect("find: file without content → equal record", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.reserve(bucket)
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(file))
    })
  )

  it.effect("find: file with content, by id, by alias and by place → equal record, blob READY", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket, odd)
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(file))
      expect(yield* files.find(bucket, Fixtures.byAlias(odd.alias))).toEqual(Option.some(file))
      expect(yield* files.find(bucket, Fixtures.byPlace(file))).toEqual(Option.some(file))
      expect(yield* files.find(bucket, Fixtures.byPlace({ path: file.path, name: "other" }))).toEqual(Option.none())
      expect(yield* files.find(bucket, Fixtures.byPlace({ path: "/other/", name: file.name }))).toEqual(Option.none())
      const { sha256, size } = file.content
      expect(yield* Fixtures.blob(file.content.blobId)).toEqual({
        damage: null,
        isPart: false,
        hasParts: null,
        ...bucket,
        blobId: file.content.blobId,
        state: "READY",
        size,
        sha256,
        fileId: file.id
      })
    })
  )

  it.effect("insert and find: names of any script, differing in case or accents → stored unchanged, distinct", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      for (const name of [...names, ...names.map((each) => `A${each}`), ...names.map((each) => `a${each}`), "e", "é"]) {
        const file = yield* Fixtures.reserve(bucket, { name, path: `/${name}/` })
        expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(file))
      }
    })
  )

  it.effect("find: another bucket or tenant → none", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket, { alias: "mine" })
      const beside = yield* Fixtures.bucket(bucket.tenantId)
      const foreign = yield* Fixtures.bucket()
      const mixed = [
        { tenantId: foreign.tenantId, bucketId: bucket.bucketId },
        { tenantId: bucket.tenantId, bucketId: foreign.bucketId }
      ]
      for (const other of [beside, foreign, ...mixed]) {
        expect(yield* files.find(other, Fixtures.byId(file.id))).toEqual(Option.none())
        expect(yield* files.find(other, Fixtures.byAlias("mine"))).toEqual(Option.none())
        expect(yield* files.find(other, Fixtures.byPlace(file))).toEqual(Option.none())
      }
    })
  )

  it.effect("insert: path and name exist in the bucket → FileExists with the existing id, blob stays PENDING", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.reserve(bucket, { path: "/a/", name: "x" })
      const blobId = yield* Fixtures.stage(bucket)
      const again = Sample.file({ path: "/a/", name: "x", version: 1, content: Sample.content(blobId) })
      const error = yield* Effect.flip((yield* FileRepository).insert(bucket, again))
      expect(error).toMatchObject({ _tag: "FileExists", existingId: file.id })
      expect((yield* Fixtures.blob(blobId))?.state).toBe("PENDING")
      yield* Fixtures.reserve(bucket, { path: "/b/", name: "x" })
      yield* Fixtures.reserve(yield* Fixtures.bucket(bucket.tenantId), { path: "/a/", name: "x" })
    })
  )

  it.effect("insert: alias exists in the bucket → AliasTaken with the existing id", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket, { alias: "logo" })
      const error = yield* Effect.flip(Fixtures.store(bucket, { alias: "logo" }))
      expect(error).toMatchObject({ _tag: "AliasTaken", existingId: file.id })
      yield* Fixtures.reserve(bucket)
      yield* Fixtures.reserve(bucket)
      yield* Fixtures.reserve(yield* Fixtures.bucket(), { alias: "logo" })
    })
  )

  it.effect("insert: 20 at the same time with one path and name → one succeeds, only its blob is READY", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const results = yield* Fixtures.concurrently(20, () => Fixtures.store(bucket, { path: "/a/", name: "x" }))
      const winner = results.find(Result.isSuccess)
      expect(results.filter(Result.isSuccess)).toHaveLength(1)
      for (const result of results.filter(Result.isFailure)) {
        expect(result.failure).toMatchObject({ _tag: "FileExists", existingId: winner?.success.id })
      }
      const ready = (yield* Fixtures.blobsOf(bucket)).filter(({ state }) => state === "READY")
      expect(ready.map(({ blobId }) => blobId)).toEqual([winner?.success.content.blobId])
    })
  )

  it.effect("insert: unknown bucket or bucket of another tenant → NotFound", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const foreign = yield* Fixtures.bucket()
      const mixed = { tenantId: foreign.tenantId, bucketId: bucket.bucketId }
      for (const ref of [{ ...bucket, bucketId: Sample.id("bkt") }, mixed]) {
        const error = yield* Effect.flip(Fixtures.reserve(ref))
        expect(error).toMatchObject({ _tag: "NotFound", resource: "bucket" })
      }
    })
  )

  it.effect("insert: blob unknown, of another bucket, READY or DOOMED → UploadExpired, nothing stored", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const foreign = yield* Fixtures.stage(yield* Fixtures.bucket())
      const ready = (yield* Fixtures.store(bucket)).content.blobId
      const lapsed = yield* Fixtures.stage(bucket, Sample.at(-10))
      yield* (yield* BlobRepository).expire({ before: Sample.at(-9) })
      for (const blobId of [Sample.id("blb"), foreign, ready, lapsed]) {
        const file = Sample.file({ version: 1, content: Sample.content(blobId) })
        expect((yield* Effect.flip(files.insert(bucket, file)))._tag).toBe("UploadExpired")
        expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.none())
      }
    })
  )
}
