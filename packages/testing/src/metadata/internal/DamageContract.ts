/**
 * The contract of `DamageRepository`.
 */
import { expect } from "@effect/vitest"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { DamageRepository } from "@holdfast/core/integrity/DamageRepository"
import type { DamageKind } from "@holdfast/core/storage/DamageKind"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Fixtures from "../Fixtures.ts"
import * as Sample from "../Sample.ts"
import type { It } from "./It.ts"

const record = (bucket: BucketRef, blobId: string, kind: DamageKind = "Damaged", offset = 0) =>
  Effect.flatMap(DamageRepository, (damage) =>
    damage.record({ blob: { ...bucket, blobId }, kind, at: Sample.at(offset) })
  )

const isDamaged = (bucket: BucketRef, fileId: string) =>
  Effect.flatMap(FileRepository, (files) =>
    Effect.map(files.find(bucket, Fixtures.byId(fileId)), (file) => Option.getOrThrow(file).damaged)
  )

/** Claims everything that is due at a time. Returns the claimed ones of a bucket. */
const claim = (bucket: BucketRef, at: number, until: number) =>
  Effect.flatMap(DamageRepository, (damage) =>
    Effect.map(damage.claimDue({ limit: 1_000_000, now: Sample.at(at), leaseUntil: Sample.at(until) }), (due) =>
      due.filter(({ bucketId }) => bucketId === bucket.bucketId)
    )
  )

export const damageContract = (it: It): void => {
  it.effect("record: content of a file → the file is damaged, its other fields unchanged; clear → not damaged", () =>
    Effect.gen(function* () {
      const damage = yield* DamageRepository
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket)
      const { blobId, sha256, size } = file.content
      const found = { ...bucket, blobId, size, sha256, fileId: file.id }
      expect(yield* damage.find(blobId)).toEqual(Option.some(found))
      expect(yield* record(bucket, blobId)).toBe(true)
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some({ ...file, damaged: true }))
      expect(yield* Fixtures.blob(blobId)).toMatchObject({ state: "READY", damage: "Damaged" })
      expect(yield* record(bucket, blobId, "Missing")).toBe(false)
      expect(yield* Fixtures.blob(blobId)).toMatchObject({ damage: "Missing" })
      expect(yield* damage.clear(blobId)).toEqual({ hasRow: true, wasDamaged: true })
      expect(yield* damage.clear(blobId)).toEqual({ hasRow: true, wasDamaged: false })
      expect(yield* damage.clear(Sample.id("blb"))).toEqual({ hasRow: false, wasDamaged: false })
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(file))
      expect(yield* Fixtures.blob(blobId)).toMatchObject({ damage: null })
    })
  )

  it.effect("record: damaged content replaced → the file is not damaged; later changes of it keep that", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket)
      yield* record(bucket, file.content.blobId)
      const content = Sample.content(yield* Fixtures.stage(bucket))
      const replacement = { bucket, fileId: file.id, content, condition: {}, sweepAt: Sample.at(5) }
      expect((yield* files.replaceContent(replacement)).damaged).toBe(false)
      // A reader of the former content may report it late.
      expect(yield* record(bucket, file.content.blobId)).toBe(false)
      expect(yield* isDamaged(bucket, file.id)).toBe(false)
      expect(yield* record(bucket, content.blobId)).toBe(true)
      expect(yield* isDamaged(bucket, file.id)).toBe(true)
    })
  )

  it.effect("record and find: PENDING, DOOMED or unknown blob → nothing", () =>
    Effect.gen(function* () {
      const damage = yield* DamageRepository
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const pending = yield* Fixtures.stage(bucket)
      const { content, id } = yield* Fixtures.store(bucket)
      yield* files.remove({ bucket, selector: Fixtures.byId(id), condition: {}, sweepAt: Sample.at(9_000_000) })
      for (const blobId of [pending, content.blobId, Sample.id("blb")]) {
        expect(yield* damage.find(blobId)).toEqual(Option.none())
        expect(yield* record(bucket, blobId)).toBe(false)
      }
      expect(yield* claim(bucket, 10, 20)).toEqual([])
    })
  )

  it.effect("record and clear at the same time → the file is damaged exactly if damage is recorded", () =>
    Effect.gen(function* () {
      const damage = yield* DamageRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket)
      const { blobId } = file.content
      for (let turn = 0; turn < 20; turn++) {
        yield* record(bucket, blobId)
        yield* Fixtures.concurrently(6, (index) =>
          index % 2 === 0 ? Effect.asVoid(record(bucket, blobId)) : Effect.asVoid(damage.clear(blobId))
        )
        expect(yield* isDamaged(bucket, file.id)).toBe((yield* Fixtures.blob(blobId))?.damage !== null)
      }
    })
  )

  it.effect("claimDue: due → claimed by one of many at a time until the lease ends, with its attempts", () =>
    Effect.gen(function* () {
      const damage = yield* DamageRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket)
      const { blobId, sha256, size } = file.content
      yield* record(bucket, blobId, "WrongSize", 1000)
      expect(yield* claim(bucket, 999, 5000)).toEqual([])
      const claims = yield* Fixtures.concurrently(5, () => claim(bucket, 1000, 5000))
      const claimed = claims.flatMap((result) => (result._tag === "Success" ? result.success : []))
      const first = { ...bucket, blobId, size, sha256, fileId: file.id, kind: "WrongSize", foundAt: Sample.at(1000) }
      expect(claimed).toEqual([{ ...first, attempts: 1 }])
      expect(yield* claim(bucket, 4999, 9000)).toEqual([])
      expect(yield* claim(bucket, 5000, 9000)).toEqual([{ ...first, attempts: 2 }])
      yield* damage.postpone(blobId, Sample.at(20_000))
      expect(yield* claim(bucket, 19_999, 30_000)).toEqual([])
      expect(DateTime.toEpochMillis((yield* claim(bucket, 20_000, 30_000))[0]?.foundAt ?? Sample.at())).toBe(
        DateTime.toEpochMillis(Sample.at(1000))
      )
    })
  )

  it.effect("claimDue: except tenants → the oldest of the others, one of many claims each", () =>
    Effect.gen(function* () {
      const damage = yield* DamageRepository
      yield* claim(yield* Fixtures.bucket(), 1000, 1_000_000)
      const buckets = yield* Effect.replicateEffect(Fixtures.bucket(), 3)
      for (const [index, bucket] of [...buckets, ...buckets].entries()) {
        yield* record(bucket, (yield* Fixtures.store(bucket)).content.blobId, "Damaged", 1000 + index)
      }
      const [first, second, third] = buckets.map(({ tenantId }) => tenantId)
      const terms = { now: Sample.at(2000), leaseUntil: Sample.at(1_000_000), exceptTenants: [first ?? ""] }
      const claims = yield* Fixtures.concurrently(3, () => damage.claimDue({ ...terms, limit: 3 }))
      const claimed = claims.flatMap((result) => (result._tag === "Success" ? result.success : []))
      expect(claimed.map(({ tenantId }) => tenantId).toSorted()).toEqual([second, second, third, third].toSorted())
      expect(yield* damage.claimDue({ ...terms, limit: 3 })).toEqual([])
      expect((yield* claim(buckets[0] ?? (yield* Fixtures.bucket()), 2000, 3000)).length).toBe(2)
    })
  )

  it.effect("claimDue: file removed meanwhile → not claimed; blob forgotten → its damage, too", () =>
    Effect.gen(function* () {
      const damage = yield* DamageRepository
      const blobs = yield* BlobRepository
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const removed = yield* Fixtures.store(bucket)
      yield* record(bucket, removed.content.blobId)
      yield* files.remove({ bucket, selector: Fixtures.byId(removed.id), condition: {}, sweepAt: Sample.at(1) })
      yield* blobs.forget([removed.content.blobId])
      expect(yield* damage.clear(removed.content.blobId)).toEqual({ hasRow: false, wasDamaged: false })
      const doomed = yield* Fixtures.store(bucket)
      yield* record(bucket, doomed.content.blobId)
      yield* files.remove({ bucket, selector: Fixtures.byId(doomed.id), condition: {}, sweepAt: Sample.at(1) })
      expect(yield* claim(bucket, 10, 20)).toEqual([])
      expect(yield* damage.clear(doomed.content.blobId)).toEqual({ hasRow: true, wasDamaged: false })
    })
  )
}
