/**
 * The contract of `BlobRepository`.
 */
import { expect } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { It } from "./It.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

/** Makes a DOOMED blob that is due at a time. */
const doomed = Effect.fnUntraced(function* (offset: number) {
  const bucket = yield* Fixtures.bucket()
  const { content, id } = yield* Fixtures.store(bucket)
  yield* (yield* FileRepository).remove({
    bucket,
    selector: Fixtures.byId(id),
    condition: {},
    sweepAt: Sample.at(offset)
  })
  return { ...bucket, blobId: content.blobId }
})

const stateOf = (blobId: string) => Effect.map(Fixtures.blob(blobId), (row) => row?.state)

export const blobContract = (it: It): void => {
  it.effect("stage: existing bucket → PENDING row; unknown bucket → NotFound", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const blobId = yield* Fixtures.stage(bucket)
      const own = { size: null, sha256: null, fileId: null, damage: null, isPart: false, hasParts: null }
      const pending = { ...bucket, blobId, state: "PENDING", ...own }
      expect(yield* Fixtures.blob(blobId)).toEqual(pending)
      const foreign = yield* Fixtures.tenant
      for (const ref of [
        { ...bucket, tenantId: foreign },
        { ...bucket, bucketId: Sample.id("bkt") }
      ]) {
        expect(yield* Effect.flip(Fixtures.stage(ref))).toMatchObject({ _tag: "NotFound", resource: "bucket" })
      }
    })
  )

  it.effect("expire: lease ended → DOOMED and due at once; lease renewed → PENDING", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const bucket = yield* Fixtures.bucket()
      const now = Sample.at(-5_000_000)
      const lapsed = yield* Fixtures.stage(bucket, Sample.at(-5_000_001))
      const atEdge = yield* Fixtures.stage(bucket, now)
      const renewed = yield* Fixtures.stage(bucket, Sample.at(-5_000_001))
      yield* blobs.renew([renewed, Sample.id("blb")], Sample.at(-4_000_000))
      yield* blobs.renew([], Sample.at())
      expect(yield* blobs.expire({ before: now })).toBe(1)
      expect(yield* blobs.expire({ before: now })).toBe(0)
      expect(yield* stateOf(lapsed)).toBe("DOOMED")
      expect(yield* Fixtures.isDue(lapsed, now)).toBe(true)
      expect(yield* stateOf(atEdge)).toBe("PENDING")
      expect(yield* stateOf(renewed)).toBe("PENDING")
      expect(yield* blobs.expire({ before: Sample.at(-4_000_000) })).toBe(1)
      expect(yield* stateOf(renewed)).toBe("PENDING")
    })
  )

  it.effect("renew: READY or DOOMED blob → unchanged", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const bucket = yield* Fixtures.bucket()
      const { content } = yield* Fixtures.store(bucket)
      const { blobId } = yield* doomed(1000)
      yield* blobs.renew([content.blobId, blobId], Sample.at(9_000_000))
      expect(yield* stateOf(content.blobId)).toBe("READY")
      expect(yield* stateOf(blobId)).toBe("DOOMED")
      expect(yield* Fixtures.isDue(blobId, Sample.at(1000))).toBe(true)
    })
  )

  it.effect("expire: all → every PENDING blob DOOMED and due, READY ones unchanged", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const bucket = yield* Fixtures.bucket()
      const upload = yield* Fixtures.stage(bucket, Sample.at(1_000_000))
      const { content } = yield* Fixtures.store(bucket)
      expect(yield* blobs.expire("all")).toBeGreaterThan(0)
      expect(yield* blobs.expire("all")).toBe(0)
      expect(yield* stateOf(upload)).toBe("DOOMED")
      expect(yield* Fixtures.isDue(upload, Sample.at(-9_000_000))).toBe(true)
      expect(yield* stateOf(content.blobId)).toBe("READY")
    })
  )

  it.effect("listDue: several due blobs → oldest first, with all parts of their keys", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const base = -40_000_000
      const third = yield* doomed(base + 30)
      const first = yield* doomed(base + 10)
      const second = yield* doomed(base + 20)
      const mine = new Set([first, second, third].map(({ blobId }) => blobId))
      const due = Effect.fnUntraced(function* (offset: number) {
        const rows = yield* blobs.listDue({ now: Sample.at(base + offset), limit: 1_000_000 })
        return rows
          .filter(({ blobId }) => mine.has(blobId))
          .map(({ blobId, bucketId, tenantId }) => ({ blobId, bucketId, tenantId }))
      })
      expect(yield* due(30)).toEqual([first, second, third])
      expect(yield* due(29)).toEqual([first, second])
      expect(yield* due(9)).toEqual([])
      const page = { now: Sample.at(base + 30), limit: 1 }
      // Other tests of the same store may have left blobs that are due earlier.
      const before = { dueAt: Sample.at(base + 9), blobId: "" }
      const after = { dueAt: Sample.at(base + 10), blobId: first.blobId }
      expect(yield* blobs.listDue({ ...page, after: before })).toMatchObject([first])
      expect(yield* blobs.listDue({ ...page, after })).toMatchObject([second])
    })
  )

  it.effect("claimDue: five sweepers claim the same due blobs → each blob is claimed once, until its lease ends", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const base = -50_000_000
      const due = yield* Effect.forEach(Array.from({ length: 30 }), () => doomed(base))
      const later = yield* doomed(base + 100)
      const ready = (yield* Fixtures.store(yield* Fixtures.bucket())).content.blobId
      const blobIds = [...due, later].map(({ blobId }) => blobId).concat(ready)
      const claim = (offset: number) =>
        blobs.claimDue({ blobIds, now: Sample.at(base + offset), leaseUntil: Sample.at(base + 50) })
      const claimed = (yield* Fixtures.concurrently(5, () => claim(0))).flatMap((result) =>
        Result.isSuccess(result) ? Array.from(result.success) : []
      )
      expect(claimed.toSorted()).toEqual(due.map(({ blobId }) => blobId).toSorted())
      expect(yield* claim(49)).toEqual(new Set())
      expect((yield* claim(50)).size).toBe(30)
      yield* blobs.postpone([due[0]?.blobId ?? "", ready], Sample.at(base))
      expect(yield* blobs.claimDue({ blobIds, now: Sample.at(base), leaseUntil: Sample.at(base) })).toEqual(
        new Set([due[0]?.blobId])
      )
      expect((yield* Fixtures.blob(ready))?.state).toBe("READY")
    })
  )

  it.effect("hold: until its end, its renewal or its release → no blob is due or claimed; blobs become doomed", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const base = -60_000_000
      const due = yield* doomed(base)
      const now = (offset: number) => Sample.at(base + offset)
      const isSwept = Effect.fnUntraced(function* (offset: number) {
        const listed = yield* Fixtures.isDue(due.blobId, now(offset))
        const terms = { blobIds: [due.blobId], now: now(offset), leaseUntil: now(offset) }
        expect((yield* blobs.claimDue(terms)).has(due.blobId)).toBe(listed)
        return listed
      })
      expect(yield* isSwept(0)).toBe(true)
      yield* blobs.hold({ holdId: "a", now: now(0), until: now(100) })
      yield* blobs.hold({ holdId: "b", now: now(0), until: now(50) })
      expect(yield* isSwept(99)).toBe(false)
      yield* blobs.releaseHold("a")
      expect(yield* isSwept(49)).toBe(false)
      expect(yield* isSwept(50)).toBe(true)
      yield* blobs.hold({ holdId: "b", now: now(49), until: now(200) })
      expect(yield* isSwept(199)).toBe(false)
      expect(yield* isSwept(200)).toBe(true)
      expect(yield* Fixtures.blob(due.blobId)).toMatchObject({ state: "DOOMED" })
      yield* blobs.releaseHold("b")
      yield* blobs.releaseHold("b")
      expect(yield* isSwept(0)).toBe(false)
      expect(yield* isSwept(200)).toBe(true)
    })
  )

  it.effect("hold: the clock was years ahead → blobs are due, and later holds count", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const [base, years] = [-70_000_000, 315_360_000_000]
      const { blobId } = yield* doomed(base)
      const now = Sample.at(base)
      const terms = { blobIds: [blobId], now, leaseUntil: now }
      yield* blobs.hold({ holdId: "ahead", now: Sample.at(years), until: Sample.at(years + 600_000) })
      expect(yield* Fixtures.isDue(blobId, now)).toBe(true)
      expect((yield* blobs.claimDue(terms)).has(blobId)).toBe(true)
      yield* blobs.hold({ holdId: "right", now, until: Sample.at(base + 600_000) })
      expect(yield* Fixtures.isDue(blobId, now)).toBe(false)
      yield* blobs.releaseHold("right")
      yield* blobs.releaseHold("ahead")
    })
  )

  it.effect("forget: PENDING and DOOMED blobs → rows deleted; READY blob → row stays", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const bucket = yield* Fixtures.bucket()
      const { content } = yield* Fixtures.store(bucket)
      const pending = yield* Fixtures.stage(bucket)
      const { blobId } = yield* doomed(0)
      const ids = [content.blobId, pending, blobId, Sample.id("blb")]
      expect(yield* blobs.filterKnown(ids)).toEqual(new Set([content.blobId, pending, blobId]))
      yield* blobs.forget(ids)
      yield* blobs.forget([])
      expect(yield* blobs.filterKnown(ids)).toEqual(new Set([content.blobId]))
      expect(yield* blobs.filterKnown([])).toEqual(new Set())
      expect(yield* stateOf(content.blobId)).toBe("READY")
    })
  )

  it.effect("doomUnreferenced: content of a file, PENDING blob or unknown id → nothing doomed", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const bucket = yield* Fixtures.bucket()
      const { content } = yield* Fixtures.store(bucket)
      const pending = yield* Fixtures.stage(bucket)
      expect(yield* blobs.doomUnreferenced([content.blobId, pending, Sample.id("blb")], Sample.at())).toBe(0)
      expect(yield* stateOf(content.blobId)).toBe("READY")
      expect(yield* stateOf(pending)).toBe("PENDING")
    })
  )

  it.effect("filterKnown: 70,001 ids → the one that is stored", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const blobId = yield* Fixtures.stage(yield* Fixtures.bucket())
      const many = [...Array.from({ length: 70_000 }, () => Sample.id("blb")), blobId]
      expect(yield* blobs.filterKnown(many)).toEqual(new Set([blobId]))
    })
  )

  it.effect("list: several blobs → ordered by id, from a position", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const bucket = yield* Fixtures.bucket()
      const made = yield* Effect.forEach([1, 2, 3], () => Fixtures.stage(bucket))
      const listed = yield* blobs.list({ after: made[0]?.slice(0, -1), limit: 1000 })
      expect(listed.map(({ blobId }) => blobId)).toEqual(made)
      expect((yield* blobs.list({ after: made[0], limit: 1 })).map(({ blobId }) => blobId)).toEqual([made[1]])
    })
  )
}
