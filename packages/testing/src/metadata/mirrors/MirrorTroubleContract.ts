/**
 * What `MirrorTaskRepository` promises of mirrors that fail as a whole, and of comparisons.
 */
import { expect } from "@effect/vitest"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as Effect from "effect/Effect"
import type { It } from "../Metadata.ts"
import * as Mirrors from "./Mirrors.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

const stored = Effect.fnUntraced(function* (count: number) {
  const bucket = yield* Fixtures.bucket()
  const files = yield* Effect.forEach(Array.from({ length: count }).keys(), () => Fixtures.store(bucket))
  return { files, ...(yield* Mirrors.mirror(bucket)) }
})

/** A sync that is asked for and taken. */
const begun = Effect.fnUntraced(function* (made: Effect.Success<ReturnType<typeof stored>>, at = 5000) {
  const { bucket, mirror } = made
  const tasks = yield* MirrorTaskRepository
  yield* (yield* MirrorRepository).requestSync(bucket, mirror.id, Sample.at(at))
  const sync = { mirrorId: mirror.id, lease: Sample.word(), startedAt: Sample.at(at) }
  expect(yield* tasks.claimReconciliation(sync, Sample.at(at + 1000))).toBe(true)
  yield* Mirrors.fill(mirror.id)
  return sync
})

export const mirrorTroubleContract = (it: It): void => {
  it.effect("a mirror in trouble gives one file to one worker, and all of them when it works again", () =>
    Effect.gen(function* () {
      const { bucket, mirror } = yield* stored(5)
      const tasks = yield* MirrorTaskRepository
      const claimed = yield* Mirrors.claim(mirror, Sample.at(1000), { limit: 3 })
      const failure = { error: null, retryAt: Sample.at(9000) }
      yield* Mirrors.settle(claimed.map((task) => Mirrors.failed(task, failure)))
      // Three copies fail of one outage, which counts once.
      for (const _ of [1, 2, 3]) yield* tasks.fail(mirror, "It is down.", Sample.at(1100), Sample.at(2100))
      const troubled = (yield* Mirrors.find(bucket, mirror.id)).mirror
      expect(troubled).toMatchObject({ failures: 1, trouble: { since: Sample.at(1100), detail: "It is down." } })
      expect(yield* Mirrors.due(mirror.id, Sample.at(2099))).toBe(undefined)
      expect(yield* Mirrors.claim(troubled, Sample.at(2099))).toEqual([])
      expect(yield* Mirrors.due(mirror.id, Sample.at(2100))).toMatchObject({ hasTasks: true })
      const probes = yield* Effect.forEach([1, 2, 3], () => Mirrors.claim(troubled, Sample.at(2100)), {
        concurrency: "unbounded"
      })
      expect(probes.flat()).toHaveLength(1)
      expect(yield* Mirrors.claim(mirror, Sample.at(2100))).toEqual([])
      yield* tasks.fail(troubled, "It is still down.", Sample.at(2200), Sample.at(4200))
      const still = (yield* Mirrors.find(bucket, mirror.id)).mirror
      expect(still).toMatchObject({ failures: 2, trouble: { since: Sample.at(1100), detail: "It is still down." } })
      // Who read it before the last failure could not tell of another one.
      expect(yield* Mirrors.claim(troubled, Sample.at(4200))).toEqual([])
      yield* tasks.recover(mirror.id, Sample.at(4300))
      const well = (yield* Mirrors.find(bucket, mirror.id)).mirror
      expect(well).toMatchObject({ failures: 0, trouble: null })
      // The probe is still held.
      expect(yield* Mirrors.claim(well, Sample.at(4300))).toHaveLength(4)
    })
  )

  it.effect("a mirror in trouble for which there is nothing to try is not kept from others", () =>
    Effect.gen(function* () {
      const { bucket, mirror } = yield* stored(1)
      const tasks = yield* MirrorTaskRepository
      const [task] = yield* Mirrors.claim(mirror)
      if (task !== undefined) yield* Mirrors.settle([Mirrors.failed(task, { error: null, retryAt: Sample.at(5000) })])
      yield* tasks.fail(mirror, "It is down.", Sample.at(1100), Sample.at(2000))
      const troubled = (yield* Mirrors.find(bucket, mirror.id)).mirror
      expect(yield* Mirrors.claim(troubled, Sample.at(4999), { until: 90_000 })).toEqual([])
      expect(yield* Mirrors.claim(troubled, Sample.at(5000))).toHaveLength(1)
    })
  )

  it.effect(
    "other credentials, and being resumed, end the trouble; what is told of the former ones counts no more",
    () =>
      Effect.gen(function* () {
        const { bucket, mirror } = yield* stored(2)
        const [mirrors, tasks] = [yield* MirrorRepository, yield* MirrorTaskRepository]
        yield* tasks.fail(mirror, "Denied.", Sample.at(1000), Sample.at(90_000))
        const { address } = mirror
        yield* mirrors.update(bucket, mirror.id, { credentials: { address, secret: "new" } }, Sample.at(1500))
        yield* tasks.fail(mirror, "Denied.", Sample.at(1600), Sample.at(90_000))
        const fresh = (yield* Mirrors.find(bucket, mirror.id)).mirror
        expect(fresh).toMatchObject({ revision: 2, trouble: null, failures: 0 })
        expect(yield* Mirrors.claim(mirror, Sample.at(2000))).toEqual([])
        yield* mirrors.update(bucket, mirror.id, { paused: true }, Sample.at(2000))
        expect(yield* Mirrors.due(mirror.id, Sample.at(2000))).toBe(undefined)
        expect(yield* Mirrors.claim(fresh, Sample.at(2000))).toEqual([])
        yield* tasks.fail(fresh, "Down.", Sample.at(2100), Sample.at(90_000))
        yield* mirrors.update(bucket, mirror.id, { paused: false }, Sample.at(2200))
        expect(yield* Mirrors.claim((yield* Mirrors.find(bucket, mirror.id)).mirror, Sample.at(2200))).toHaveLength(2)
      })
  )

  it.effect("a comparison finds what was changed and what is missing, and passes over what is not the mirror's", () =>
    Effect.gen(function* () {
      const made = yield* stored(4)
      const { bucket, files, mirror } = made
      const tasks = yield* MirrorTaskRepository
      yield* Mirrors.copyAll(mirror)
      const sync = yield* begun(made)
      const [same, retagged, resized, missing] = files
      const objects = [
        { name: same?.name ?? "", size: same?.content.size ?? 0, tag: "t1" },
        { name: retagged?.name ?? "", size: retagged?.content.size ?? 0, tag: "t2" },
        { name: resized?.name ?? "", size: 1, tag: "t1" },
        { name: "a stranger's", size: 1, tag: "t1" }
      ]
      yield* tasks.compare(sync, objects.slice(0, 2), Sample.at(5100))
      yield* tasks.compare(sync, objects.slice(2), Sample.at(5100))
      expect((yield* Mirrors.find(bucket, mirror.id)).stats.pending).toBe(2)
      yield* tasks.completeReconciliation(sync, true, Sample.at(5200))
      const again = yield* Mirrors.claim(mirror, Sample.at(6000))
      expect(Mirrors.shown(again)).toEqual(
        [retagged, resized, missing]
          .map((file) => ({ fileId: file?.id, write: file?.name, remove: [] }))
          .toSorted((a, b) => ((a.fileId ?? "") < (b.fileId ?? "") ? -1 : 1))
      )
      expect(again.every(({ write }) => write?.hasBytes === false)).toBe(true)
      expect(yield* Mirrors.due(mirror.id, Sample.at(6000))).toBe(undefined)
    })
  )

  it.effect("a comparison finds what was changed later than it was written, where times are told", () =>
    Effect.gen(function* () {
      const made = yield* stored(5)
      const { bucket, files, mirror } = made
      const tasks = yield* MirrorTaskRepository
      const times = [100, 100, 100, 100]
      yield* Mirrors.settle(
        (yield* Mirrors.claim(mirror)).map((task) => {
          return Mirrors.done(task, "t1", times[files.findIndex(({ id }) => id === task.fileId)])
        })
      )
      const sync = yield* begun(made)
      const found = [99, 100, 101, undefined, 101]
      const objects = files.map(({ content, name }, index) => ({
        name,
        size: content.size,
        tag: "t1",
        lastModified: found[index]
      }))
      yield* tasks.compare(sync, objects, Sample.at(5100))
      yield* tasks.completeReconciliation(sync, true, Sample.at(5200))
      const again = yield* Mirrors.claim(mirror, Sample.at(6000))
      expect(Mirrors.shown(again)).toEqual([{ fileId: files[2]?.id, write: files[2]?.name, remove: [] }])
      expect((yield* Mirrors.find(bucket, mirror.id)).stats.pending).toBe(1)
    })
  )

  it.effect("findOwnNames: names of objects → those of the mirror's files, also of files that are not copied yet", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* stored(2), yield* stored(1)]
      const tasks = yield* MirrorTaskRepository
      const [a = "", b = "", c = ""] = [...one.files, ...other.files].map(({ name }) => name)
      const find = tasks.findOwnNames({ mirrorId: one.mirror.id, names: [a, b, c, "another program's"] })
      expect(yield* find).toEqual([])
      yield* Mirrors.claim(one.mirror)
      yield* Mirrors.copyAll(other.mirror)
      expect((yield* find).toSorted()).toEqual([a, b].toSorted())
    })
  )

  it.effect("what is written during a comparison is not missed by it", () =>
    Effect.gen(function* () {
      const made = yield* stored(1)
      const { bucket, mirror } = made
      const tasks = yield* MirrorTaskRepository
      const sync = yield* begun(made, 500)
      yield* Mirrors.copyAll(mirror)
      yield* tasks.completeReconciliation(sync, true, Sample.at(2500))
      expect((yield* Mirrors.find(bucket, mirror.id)).stats.pending).toBe(0)
    })
  )

  it.effect("a comparison is one worker's until its lease ends, and wanted until it is complete", () =>
    Effect.gen(function* () {
      const made = yield* stored(1)
      const { bucket, mirror } = made
      const tasks = yield* MirrorTaskRepository
      const isComparing = Effect.map(Mirrors.find(bucket, mirror.id), ({ stats }) => stats.comparing)
      yield* Mirrors.copyAll(mirror)
      expect(yield* isComparing).toBe(false)
      const first = yield* begun(made)
      expect(yield* isComparing).toBe(true)
      const second = { ...first, lease: Sample.word(), startedAt: Sample.at(5500) }
      expect(yield* tasks.claimReconciliation(second, Sample.at(9000))).toBe(false)
      expect(yield* tasks.renewReconciliation(first, Sample.at(6000))).toBe(true)
      expect(yield* Mirrors.due(mirror.id, Sample.at(5999))).toBe(undefined)
      expect(yield* Mirrors.due(mirror.id, Sample.at(6000))).toMatchObject({ isSyncWanted: true })
      const late = { ...second, startedAt: Sample.at(6000) }
      expect(yield* tasks.claimReconciliation(late, Sample.at(9000))).toBe(true)
      yield* Mirrors.fill(mirror.id)
      expect(yield* tasks.renewReconciliation(first, Sample.at(9000))).toBe(false)
      // What the first one tells at its end finds nothing missing.
      yield* tasks.completeReconciliation(first, true, Sample.at(6100))
      expect((yield* Mirrors.find(bucket, mirror.id)).stats.pending).toBe(0)
      yield* tasks.completeReconciliation(late, false, Sample.at(6200))
      expect(yield* Mirrors.due(mirror.id, Sample.at(6200))).toMatchObject({ isSyncWanted: true })
      // Asked for twice, it is done once and once more.
      const third = { ...first, lease: Sample.word(), startedAt: Sample.at(6300) }
      yield* tasks.claimReconciliation(third, Sample.at(9000))
      yield* (yield* MirrorRepository).requestSync(bucket, mirror.id, Sample.at(6400))
      yield* tasks.completeReconciliation(third, true, Sample.at(6500))
      expect(yield* Mirrors.due(mirror.id, Sample.at(6500))).toMatchObject({ isSyncWanted: true })
      expect(yield* isComparing).toBe(true)
      const fourth = { ...first, lease: Sample.word(), startedAt: Sample.at(6600) }
      yield* tasks.claimReconciliation(fourth, Sample.at(9000))
      yield* tasks.completeReconciliation(fourth, true, Sample.at(6700))
      expect(yield* isComparing).toBe(false)
    })
  )
}
