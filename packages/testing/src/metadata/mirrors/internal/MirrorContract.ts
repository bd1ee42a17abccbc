/**
 * The contract of `MirrorRepository`.
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
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"
import * as MirrorFixtures from "../MirrorFixtures.ts"

const { sweepAt } = MirrorFixtures

type Writing = Effect.Effect<void, { readonly _tag: string }, BlobRepository | FileRepository | MirrorTaskRepository>

export const mirrorContract = (it: It): void => {
  it.effect("find, list: mirror of another bucket or tenant → not found; files without task → pending", () =>
    Effect.gen(function* () {
      const mirrors = yield* MirrorRepository
      const [bucket, other] = [yield* Fixtures.bucket(), yield* Fixtures.bucket()]
      yield* Effect.forEach([1, 2, 3], () => Fixtures.store(bucket))
      yield* Fixtures.reserve(bucket)
      const made = MirrorFixtures.newMirror(bucket)
      yield* mirrors.create(made)
      const { mirror, stats } = yield* MirrorFixtures.get(bucket, made.id, Sample.at(5000))
      expect(mirror).toEqual({
        ...bucket,
        id: made.id,
        name: made.name,
        address: made.address,
        secret: "sealed",
        revision: 1,
        paused: false,
        failures: 0,
        failure: null,
        createdBy: null,
        createdAt: made.at,
        updatedAt: made.at
      })
      const counts = { pending: 3, pendingBytes: 15_000_000_003, copied: 0, failed: 0, capped: false }
      const pending = { ...counts, lagSeconds: 5, lastError: null, comparing: false }
      expect(stats).toEqual(pending)
      const tasks = yield* MirrorTaskRepository
      expect(yield* tasks.createTasks({ mirrorId: made.id, limit: 2, now: Sample.at() })).toBe(true)
      expect((yield* MirrorFixtures.get(bucket, made.id, Sample.at(5000))).stats).toEqual(pending)
      yield* MirrorFixtures.createTasks(made.id, 2)
      expect((yield* MirrorFixtures.get(bucket, made.id, Sample.at(5000))).stats).toEqual(pending)
      const list = (of: typeof bucket, after: string | undefined, now = Sample.at()) =>
        mirrors.list({ bucket: of, after, limit: 10, now })
      expect(yield* list(bucket, undefined, Sample.at(5000))).toEqual([{ mirror, stats }])
      expect(yield* list(bucket, made.id)).toEqual([])
      for (const wrong of [other, { ...bucket, tenantId: other.tenantId }]) {
        const ref = { ...wrong, mirrorId: made.id }
        expect(yield* mirrors.find(ref, Sample.at())).toEqual(Option.none())
        expect(yield* list(wrong, undefined)).toEqual([])
        expect(yield* mirrors.update({ mirror: ref, change: { paused: true }, now: Sample.at() })).toBe(false)
        expect(yield* mirrors.requestSync(ref, Sample.at())).toBe(false)
        expect(yield* mirrors.remove(ref)).toBe(false)
      }
      const foreign = MirrorFixtures.newMirror({ ...bucket, tenantId: other.tenantId })
      expect(yield* Effect.flip(mirrors.create(foreign))).toMatchObject({ _tag: "NotFound", resource: "bucket" })
    })
  )

  it.effect("file changes: one that the copy shows → pending; any other → not", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const { bucket, mirror } = yield* MirrorFixtures.create()
      const pending = Effect.map(MirrorFixtures.get(bucket, mirror.id), ({ stats }) => stats.pending)
      const reserved = yield* Fixtures.reserve(bucket)
      expect(yield* pending).toBe(0)
      const file = yield* Fixtures.store(bucket)
      const id = Fixtures.byId(file.id)
      const update = (change: UpdateFile) => files.update({ bucket, selector: id, change, at: Sample.at(9) })
      const replace = (fileId: string) =>
        Effect.flatMap(Fixtures.stage(bucket), (blobId) =>
          files.replaceContent({ bucket, fileId, content: Sample.content(blobId), condition: {}, sweepAt })
        )
      expect(yield* pending).toBe(1)
      yield* MirrorFixtures.copyAll(mirror)
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
        files.remove({ bucket, selector: id, condition: {}, sweepAt }),
        replace(reserved.id)
      ]
      for (const change of shown) {
        expect(yield* pending).toBe(0)
        yield* change
        expect(yield* pending).toBe(1)
        yield* MirrorFixtures.copyAll(mirror)
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
      yield* files.remove({ bucket, selector: Fixtures.byId(empty.id), condition: {}, sweepAt })
      expect(yield* pending).toBe(0)
      expect((yield* MirrorFixtures.get(bucket, mirror.id)).stats.copied).toBe(1)
    })
  )

  it.effect("create: files written concurrently → all pending", () =>
    Effect.gen(function* () {
      const mirrors = yield* MirrorRepository
      for (const round of [1, 2, 3, 4, 5, 6]) {
        const bucket = yield* Fixtures.bucket()
        const made = MirrorFixtures.newMirror(bucket)
        const results = yield* Fixtures.concurrently(16, (index): Writing =>
          index === round * 2
            ? Effect.andThen(mirrors.create(made), MirrorFixtures.createTasks(made.id, 5))
            : Effect.asVoid(Fixtures.store(bucket))
        )
        expect(results.filter(Result.isFailure)).toEqual([])
        expect((yield* MirrorFixtures.get(bucket, made.id)).stats).toMatchObject({ pending: 15 })
        const { mirror } = yield* MirrorFixtures.get(bucket, made.id)
        expect(yield* MirrorFixtures.claim(mirror)).toHaveLength(15)
      }
    })
  )

  it.effect("create: mirrors lead from the target back to the source → MirrorLoop", () =>
    Effect.gen(function* () {
      const mirrors = yield* MirrorRepository
      const buckets = [yield* Fixtures.bucket(), yield* Fixtures.bucket(), yield* Fixtures.bucket()] as const
      const [a, b, c] = buckets
      const create = (from: typeof a, to: typeof a) => mirrors.create(MirrorFixtures.newMirror(from, to.bucketId))
      yield* create(a, b)
      yield* create(b, c)
      yield* create(a, c)
      for (const from of buckets) {
        for (const to of buckets) {
          if (buckets.indexOf(from) < buckets.indexOf(to)) continue
          expect(yield* Effect.flip(create(from, to))).toMatchObject({ _tag: "MirrorLoop" })
        }
      }
      const [listed] = yield* mirrors.list({ bucket: a, after: undefined, limit: 1, now: Sample.at() })
      yield* mirrors.remove({ ...a, mirrorId: listed?.mirror.id ?? "" })
      yield* create(b, a)
    })
  )

  it.effect("create: two concurrent mirrors that close a loop → one of them is created", () =>
    Effect.gen(function* () {
      const mirrors = yield* MirrorRepository
      for (const _ of [1, 2, 3, 4]) {
        const [a, b] = [yield* Fixtures.bucket(), yield* Fixtures.bucket()]
        const results = yield* Fixtures.concurrently(2, (index) =>
          mirrors.create(
            index === 0 ? MirrorFixtures.newMirror(a, b.bucketId) : MirrorFixtures.newMirror(b, a.bucketId)
          )
        )
        expect(results.filter(Result.isFailure).map(({ failure }) => failure._tag)).toEqual(["MirrorLoop"])
      }
    })
  )

  it.effect("update: credentials → next revision; reseal: only the secret that was read is replaced", () =>
    Effect.gen(function* () {
      const [mirrors, tasks] = [yield* MirrorRepository, yield* MirrorTaskRepository]
      const { bucket, mirror, ref } = yield* MirrorFixtures.create()
      const stored = Effect.map(MirrorFixtures.get(bucket, mirror.id), (found) => found.mirror)
      const now = Sample.at(50)
      const rename = { name: "Other", paused: true }
      expect(yield* mirrors.update({ mirror: ref, change: rename, now })).toBe(true)
      const renamed = { ...mirror, ...rename, updatedAt: now }
      expect(yield* stored).toEqual(renamed)
      const address = { ...mirror.address, accessKeyId: "k2" } as typeof mirror.address
      yield* mirrors.update({ mirror: ref, change: { credentials: { address, secret: "new" } }, now })
      const changed = { ...renamed, address, secret: "new", revision: 2 }
      expect(yield* stored).toEqual(changed)
      yield* tasks.reseal({ mirrorId: mirror.id, former: "sealed", current: "late" })
      expect(yield* stored).toEqual(changed)
      yield* tasks.reseal({ mirrorId: mirror.id, former: "new", current: "new, sealed again" })
      expect(yield* stored).toEqual({ ...changed, secret: "new, sealed again" })
    })
  )

  for (const removed of ["mirror", "bucket", "tenant"] as const) {
    it.effect(`clearRemoved: ${removed} removed → no mirror is found, and all of its rows are deleted in steps`, () =>
      Effect.gen(function* () {
        const [mirrors, tasks] = [yield* MirrorRepository, yield* MirrorTaskRepository]
        const { bucket, mirror, ref } = yield* MirrorFixtures.createWithFiles(3)
        const claimed = yield* MirrorFixtures.claim(mirror, Sample.at(1000), { limit: 1 })
        const removals = {
          mirror: mirrors.remove(ref),
          bucket: (yield* BucketRepository).remove({ bucket, force: true, sweepAt }),
          tenant: (yield* TenantRepository).remove({ tenantId: bucket.tenantId, force: true, sweepAt })
        }
        expect(yield* removals[removed]).toBe(true)
        expect(yield* mirrors.find(ref, Sample.at())).toEqual(Option.none())
        expect(yield* mirrors.remove(ref)).toBe(false)
        expect(yield* MirrorFixtures.claim(mirror)).toEqual([])
        expect(yield* MirrorFixtures.findDue(mirror.id)).toMatchObject({ isRemoved: true, hasTasks: false })
        let steps = 1
        while (yield* tasks.clearRemoved({ mirrorId: mirror.id, limit: 1 })) steps++
        expect(steps).toBeGreaterThan(2)
        expect(yield* MirrorFixtures.findDue(mirror.id)).toBe(undefined)
        // The result of a worker that still had a lease creates no rows.
        yield* MirrorFixtures.succeed(claimed)
        const files = mirrors.files({ mirrorId: mirror.id, state: undefined, after: undefined, limit: 10 })
        expect(yield* files).toEqual([])
      })
    )
  }

  it.effect("files: copied, failed, pending and removed files → the state of each", () =>
    Effect.gen(function* () {
      const mirrors = yield* MirrorRepository
      const { bucket, files, mirror } = yield* MirrorFixtures.createWithFiles(4)
      const [copied, failed, pending, gone] = files
      const claimed = yield* MirrorFixtures.claim(mirror)
      const results = claimed.flatMap((task) => {
        if (task.fileId === pending?.id) return []
        if (task.fileId !== failed?.id) return [MirrorFixtures.succeeded(task)]
        return [MirrorFixtures.failed(task, { error: "Too big.", retryAt: Sample.at(9000) })]
      })
      yield* MirrorFixtures.complete(results)
      yield* (yield* FileRepository).remove({ bucket, selector: Fixtures.byId(gone?.id ?? ""), condition: {}, sweepAt })
      const list = { mirrorId: mirror.id, state: undefined, after: undefined, limit: 10 }
      const all = yield* mirrors.files(list)
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
        const some = yield* mirrors.files({ ...list, state })
        expect(some).toEqual(all.filter((file) => file.state === state))
      }
      expect(yield* mirrors.files({ ...list, after: all[0]?.fileId, limit: 2 })).toEqual(all.slice(1, 3))
      expect((yield* MirrorFixtures.get(bucket, mirror.id)).stats).toMatchObject({
        pending: 3,
        pendingBytes: 10_000_000_002,
        copied: 1,
        failed: 1,
        lastError: "Too big."
      })
    })
  )
}
