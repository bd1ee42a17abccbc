/**
 * What `MirrorRepository` promises.
 */
import { expect } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import type { UpdateFile } from "@holdfast/core/files/File"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import type { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "../Metadata.ts"
import * as Mirrors from "./Mirrors.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

const { doom } = Mirrors

type Writing = Effect.Effect<void, { readonly _tag: string }, BlobRepository | FileRepository | MirrorTaskRepository>

export const mirrorContract = (it: It): void => {
  it.effect("a mirror is found in its own bucket alone, with what is pending before it is filled in", () =>
    Effect.gen(function* () {
      const mirrors = yield* MirrorRepository
      const [bucket, other] = [yield* Fixtures.bucket(), yield* Fixtures.bucket()]
      yield* Effect.forEach([1, 2, 3], () => Fixtures.store(bucket))
      yield* Fixtures.reserve(bucket)
      const made = Mirrors.fresh(bucket)
      yield* mirrors.create(made)
      const { mirror, stats } = yield* Mirrors.find(bucket, made.id, Sample.at(5000))
      expect(mirror).toEqual({
        ...bucket,
        id: made.id,
        name: made.name,
        address: made.address,
        secret: "sealed",
        revision: 1,
        paused: false,
        failures: 0,
        trouble: null,
        createdAt: made.at,
        updatedAt: made.at
      })
      const counts = { pending: 3, pendingBytes: 15_000_000_003, copied: 0, failed: 0 }
      const pending = { ...counts, lagSeconds: 5, lastError: null, comparing: false }
      expect(stats).toEqual(pending)
      const tasks = yield* MirrorTaskRepository
      expect(yield* tasks.fill(made.id, 2, Sample.at())).toBe(true)
      expect((yield* Mirrors.find(bucket, made.id, Sample.at(5000))).stats).toEqual(pending)
      yield* Mirrors.fill(made.id, 2)
      expect((yield* Mirrors.find(bucket, made.id, Sample.at(5000))).stats).toEqual(pending)
      expect(yield* mirrors.list(bucket, undefined, 10, Sample.at(5000))).toEqual([{ mirror, stats }])
      expect(yield* mirrors.list(bucket, made.id, 10, Sample.at())).toEqual([])
      for (const ref of [other, { ...bucket, tenantId: other.tenantId }]) {
        expect(yield* mirrors.find(ref, made.id, Sample.at())).toEqual(Option.none())
        expect(yield* mirrors.list(ref, undefined, 10, Sample.at())).toEqual([])
        expect(yield* mirrors.update(ref, made.id, { paused: true }, Sample.at())).toBe(false)
        expect(yield* mirrors.requestSync(ref, made.id, Sample.at())).toBe(false)
        expect(yield* mirrors.remove(ref, made.id)).toBe(false)
      }
      const foreign = Mirrors.fresh({ ...bucket, tenantId: other.tenantId })
      expect(yield* Effect.flip(mirrors.create(foreign))).toMatchObject({ _tag: "NotFound", resource: "bucket" })
    })
  )

  it.effect("every change that a copy shows makes its file pending, and no other does", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const { bucket, mirror } = yield* Mirrors.mirror()
      const pending = Effect.map(Mirrors.find(bucket, mirror.id), ({ stats }) => stats.pending)
      const reserved = yield* Fixtures.reserve(bucket)
      expect(yield* pending).toBe(0)
      const file = yield* Fixtures.store(bucket)
      const id = Fixtures.byId(file.id)
      const update = (change: UpdateFile) => files.update({ bucket, selector: id, change, at: Sample.at(9) })
      const replace = (fileId: string) =>
        Effect.flatMap(Fixtures.stage(bucket), (blobId) =>
          files.replaceContent({ bucket, fileId, content: Sample.content(blobId), condition: {}, doom })
        )
      expect(yield* pending).toBe(1)
      yield* Mirrors.copyAll(mirror)
      const shown: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }, BlobRepository>> = [
        replace(file.id),
        update({ name: Sample.word() }),
        update({ path: "/elsewhere/" }),
        update({ metadata: { a: 1 } }),
        files.updateHeaders({
          bucket,
          selector: id,
          change: () => Result.succeed([{ name: "A", value: "b" }]),
          at: Sample.at(9)
        }),
        files.remove({ bucket, selector: id, condition: {}, doom }),
        replace(reserved.id)
      ]
      for (const change of shown) {
        expect(yield* pending).toBe(0)
        yield* change
        expect(yield* pending).toBe(1)
        yield* Mirrors.copyAll(mirror)
      }
      const last = Fixtures.byId(reserved.id)
      yield* files.update({ bucket, selector: last, change: { alias: Sample.word() }, at: Sample.at(10) })
      yield* files.update({ bucket, selector: last, change: { metadata: {} }, at: Sample.at(10) })
      const empty = yield* Fixtures.reserve(bucket)
      yield* files.update({
        bucket,
        selector: Fixtures.byId(empty.id),
        change: { name: Sample.word() },
        at: Sample.at(10)
      })
      yield* files.remove({ bucket, selector: Fixtures.byId(empty.id), condition: {}, doom })
      expect(yield* pending).toBe(0)
      expect((yield* Mirrors.find(bucket, mirror.id)).stats.copied).toBe(1)
    })
  )

  it.effect("what is written while a mirror is made is pending, too", () =>
    Effect.gen(function* () {
      const mirrors = yield* MirrorRepository
      for (const round of [1, 2, 3, 4, 5, 6]) {
        const bucket = yield* Fixtures.bucket()
        const made = Mirrors.fresh(bucket)
        const results = yield* Fixtures.concurrently(16, (index): Writing =>
          index === round * 2
            ? Effect.andThen(mirrors.create(made), Mirrors.fill(made.id, 5))
            : Effect.asVoid(Fixtures.store(bucket))
        )
        expect(results.filter(Result.isFailure)).toEqual([])
        expect((yield* Mirrors.find(bucket, made.id)).stats).toMatchObject({ pending: 15 })
        const { mirror } = yield* Mirrors.find(bucket, made.id)
        expect(yield* Mirrors.claim(mirror)).toHaveLength(15)
      }
    })
  )

  it.effect("mirrors never lead back to where they come from", () =>
    Effect.gen(function* () {
      const mirrors = yield* MirrorRepository
      const buckets = [yield* Fixtures.bucket(), yield* Fixtures.bucket(), yield* Fixtures.bucket()] as const
      const [a, b, c] = buckets
      const create = (from: typeof a, to: typeof a) => mirrors.create(Mirrors.fresh(from, to.bucketId))
      yield* create(a, b)
      yield* create(b, c)
      yield* create(a, c)
      for (const from of buckets) {
        for (const to of buckets) {
          if (buckets.indexOf(from) < buckets.indexOf(to)) continue
          expect(yield* Effect.flip(create(from, to))).toMatchObject({ _tag: "MirrorLoop" })
        }
      }
      const [listed] = yield* mirrors.list(a, undefined, 1, Sample.at())
      yield* mirrors.remove(a, listed?.mirror.id ?? "")
      yield* create(b, a)
    })
  )

  it.effect("of two that would close a loop together one is made", () =>
    Effect.gen(function* () {
      const mirrors = yield* MirrorRepository
      for (const _ of [1, 2, 3, 4]) {
        const [a, b] = [yield* Fixtures.bucket(), yield* Fixtures.bucket()]
        const results = yield* Fixtures.concurrently(2, (index) =>
          mirrors.create(index === 0 ? Mirrors.fresh(a, b.bucketId) : Mirrors.fresh(b, a.bucketId))
        )
        expect(results.filter(Result.isFailure).map(({ failure }) => failure._tag)).toEqual(["MirrorLoop"])
      }
    })
  )

  it.effect("a change is seen, other credentials are another revision, and a sealed text is replaced once", () =>
    Effect.gen(function* () {
      const mirrors = yield* MirrorRepository
      const { bucket, mirror } = yield* Mirrors.mirror()
      const at = Sample.at(50)
      expect(yield* mirrors.update(bucket, mirror.id, { name: "Other", paused: true }, at)).toBe(true)
      const renamed = { ...mirror, name: "Other", paused: true, updatedAt: at }
      expect((yield* Mirrors.find(bucket, mirror.id)).mirror).toEqual(renamed)
      const address = { ...mirror.address, accessKeyId: "k2" } as typeof mirror.address
      yield* mirrors.update(bucket, mirror.id, { credentials: { address, secret: "new" } }, at)
      const changed = { ...renamed, address, secret: "new", revision: 2 }
      expect((yield* Mirrors.find(bucket, mirror.id)).mirror).toEqual(changed)
      yield* mirrors.reseal(mirror.id, "sealed", "late")
      expect((yield* Mirrors.find(bucket, mirror.id)).mirror).toEqual(changed)
      yield* mirrors.reseal(mirror.id, "new", "new, sealed again")
      expect((yield* Mirrors.find(bucket, mirror.id)).mirror).toEqual({ ...changed, secret: "new, sealed again" })
    })
  )

  for (const whole of ["mirror", "bucket", "tenant"] as const) {
    it.effect(`a removed ${whole} leaves no mirror, and its rows are cleared away bit by bit`, () =>
      Effect.gen(function* () {
        const [mirrors, tasks] = [yield* MirrorRepository, yield* MirrorTaskRepository]
        const bucket = yield* Fixtures.bucket()
        yield* Effect.forEach([1, 2, 3], () => Fixtures.store(bucket))
        const { mirror } = yield* Mirrors.mirror(bucket)
        const [held] = yield* Mirrors.claim(mirror, Sample.at(1000), { limit: 1 })
        const removals = {
          mirror: mirrors.remove(bucket, mirror.id),
          bucket: (yield* BucketRepository).remove({ bucket, force: true, ...doom }),
          tenant: (yield* TenantRepository).remove({ tenantId: bucket.tenantId, force: true, ...doom })
        }
        expect(yield* removals[whole]).toBe(true)
        expect(yield* mirrors.find(bucket, mirror.id, Sample.at())).toEqual(Option.none())
        expect(yield* mirrors.remove(bucket, mirror.id)).toBe(false)
        expect(yield* Mirrors.claim(mirror)).toEqual([])
        expect(yield* Mirrors.due(mirror.id)).toMatchObject({ isRemoved: true, hasTasks: false })
        let steps = 1
        while (yield* tasks.clear(mirror.id, 2)) steps++
        expect(steps).toBeGreaterThan(2)
        expect(yield* Mirrors.due(mirror.id)).toBe(undefined)
        // A worker that comes back to it changes nothing.
        if (held !== undefined) yield* Mirrors.settle([Mirrors.done(held)])
        expect(yield* mirrors.files(mirror.id, undefined, undefined, 10)).toEqual([])
      })
    )
  }

  it.effect("tells of each file what became of it", () =>
    Effect.gen(function* () {
      const mirrors = yield* MirrorRepository
      const bucket = yield* Fixtures.bucket()
      const [copied, failed, pending, gone] = yield* Effect.all([1, 2, 3, 4].map(() => Fixtures.store(bucket)))
      const { mirror } = yield* Mirrors.mirror(bucket)
      const claimed = yield* Mirrors.claim(mirror)
      const outcomes = claimed.flatMap((task) => {
        if (task.fileId === pending?.id) return []
        if (task.fileId !== failed?.id) return [Mirrors.done(task)]
        return [{ ...Mirrors.done(task), written: null, failure: { error: "Too big.", retryAt: Sample.at(9000) } }]
      })
      yield* Mirrors.settle(outcomes)
      yield* (yield* FileRepository).remove({ bucket, selector: Fixtures.byId(gone?.id ?? ""), condition: {}, doom })
      const all = yield* mirrors.files(mirror.id, undefined, undefined, 10)
      expect(all.map(({ fileId, state }) => [fileId, state])).toEqual([
        [copied?.id, "COPIED"],
        [failed?.id, "FAILED"],
        [pending?.id, "PENDING"],
        [gone?.id, "PENDING"]
      ])
      expect(all[1]).toEqual({
        fileId: failed?.id,
        path: "/",
        name: failed?.name,
        state: "FAILED",
        error: "Too big.",
        attempts: 1,
        pendingSince: Sample.at(),
        nextTryAt: Sample.at(9000)
      })
      expect(all[3]).toMatchObject({ path: null, name: null })
      for (const state of ["COPIED", "FAILED", "PENDING"] as const) {
        const some = yield* mirrors.files(mirror.id, state, undefined, 10)
        expect(some).toEqual(all.filter((file) => file.state === state))
      }
      expect(yield* mirrors.files(mirror.id, undefined, all[0]?.fileId, 2)).toEqual(all.slice(1, 3))
      expect((yield* Mirrors.find(bucket, mirror.id)).stats).toMatchObject({
        pending: 3,
        pendingBytes: 10_000_000_002,
        copied: 1,
        failed: 1,
        lastError: "Too big."
      })
    })
  )
}
