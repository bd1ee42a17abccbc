/**
 * The contract of `MirrorTaskRepository`: reconciliations.
 */
import { expect } from "@effect/vitest"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository, type ReconciliationLease } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as Effect from "effect/Effect"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as MirrorFixtures from "../MirrorFixtures.ts"

type Created = Effect.Success<ReturnType<typeof MirrorFixtures.createWithFiles>>

const countPending = ({ bucket, mirror }: Created) =>
  Effect.map(MirrorFixtures.get(bucket, mirror.id), ({ stats }) => stats.pending)

const claimReconciliation = (reconciliation: ReconciliationLease, until: number) =>
  Effect.flatMap(MirrorTaskRepository, (tasks) =>
    tasks.claimReconciliation({ reconciliation, leaseUntil: Sample.at(until) })
  )

/** Ends a reconciliation. A complete one first marks what is missing, in batches of two objects. */
const completeReconciliation = Effect.fnUntraced(function* (
  reconciliation: ReconciliationLease,
  isComplete: boolean,
  now: number
) {
  const tasks = yield* MirrorTaskRepository
  let after: string | null = null
  let batches = 0
  if (isComplete) {
    do {
      after = yield* tasks.markMissing({ reconciliation, after, limit: 2, now: Sample.at(now) })
      batches++
    } while (after !== null)
  }
  yield* tasks.completeReconciliation({ reconciliation, isComplete })
  return batches
})

/** Requests a reconciliation and claims it for a second. */
const startReconciliation = Effect.fnUntraced(function* ({ mirror, ref }: Created, startedAt = 5000) {
  yield* (yield* MirrorRepository).requestSync(ref, Sample.at(startedAt))
  const reconciliation = { mirrorId: mirror.id, lease: Sample.word(), startedAt: Sample.at(startedAt) }
  expect(yield* claimReconciliation(reconciliation, startedAt + 1000)).toBe(true)
  yield* MirrorFixtures.createTasks(mirror.id)
  return reconciliation
})

export const reconciliationContract = (it: It): void => {
  it.effect("compare: changed and missing objects → their files pending; objects of others → ignored", () =>
    Effect.gen(function* () {
      const made = yield* MirrorFixtures.createWithFiles(4)
      const { files, mirror } = made
      const tasks = yield* MirrorTaskRepository
      yield* MirrorFixtures.copyAll(mirror)
      const reconciliation = yield* startReconciliation(made)
      const [same, retagged, resized, missing] = files
      const objects = [
        { name: same?.name ?? "", size: same?.content.size ?? 0, tag: "t1" },
        { name: retagged?.name ?? "", size: retagged?.content.size ?? 0, tag: "t2" },
        { name: resized?.name ?? "", size: 1, tag: "t1" },
        { name: "another program's", size: 1, tag: "t1" }
      ]
      const now = Sample.at(5100)
      yield* tasks.compare({ reconciliation, objects: objects.slice(0, 2), now })
      yield* tasks.compare({ reconciliation, objects: objects.slice(2), now })
      expect(yield* countPending(made)).toBe(2)
      // Two batches of two objects, and one that finds no further ones.
      expect(yield* completeReconciliation(reconciliation, true, 5200)).toBe(3)
      const again = yield* MirrorFixtures.claim(mirror, Sample.at(6000))
      expect(MirrorFixtures.summarize(again)).toEqual(
        [retagged, resized, missing]
          .map((file) => ({ fileId: file?.id, write: file?.name, remove: [] }))
          .toSorted((a, b) => ((a.fileId ?? "") < (b.fileId ?? "") ? -1 : 1))
      )
      expect(again.every(({ write }) => write?.hasBytes === false)).toBe(true)
      expect(yield* MirrorFixtures.findDue(mirror.id, Sample.at(6000))).toBe(undefined)
    })
  )

  it.effect("compare: target has times, object changed after it was written → its file pending", () =>
    Effect.gen(function* () {
      const made = yield* MirrorFixtures.createWithFiles(5)
      const { files, mirror } = made
      const tasks = yield* MirrorTaskRepository
      const writtenAt = [100, 100, 100, 100]
      yield* MirrorFixtures.complete(
        (yield* MirrorFixtures.claim(mirror)).map((task) => {
          return MirrorFixtures.succeeded(task, "t1", writtenAt[files.findIndex(({ id }) => id === task.fileId)])
        })
      )
      const reconciliation = yield* startReconciliation(made)
      const listedAt = [99, 100, 101, undefined, 101]
      const objects = files.map(({ content, name }, index) => ({
        name,
        size: content.size,
        tag: "t1",
        lastModified: listedAt[index]
      }))
      yield* tasks.compare({ reconciliation, objects, now: Sample.at(5100) })
      yield* completeReconciliation(reconciliation, true, 5200)
      const again = yield* MirrorFixtures.claim(mirror, Sample.at(6000))
      expect(MirrorFixtures.summarize(again)).toEqual([{ fileId: files[2]?.id, write: files[2]?.name, remove: [] }])
      expect(yield* countPending(made)).toBe(1)
    })
  )

  it.effect("findOwnNames: names of objects → those of the mirror's files, also of files that are not copied yet", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* MirrorFixtures.createWithFiles(2), yield* MirrorFixtures.createWithFiles(1)]
      const tasks = yield* MirrorTaskRepository
      const [a = "", b = "", c = ""] = [...one.files, ...other.files].map(({ name }) => name)
      const find = tasks.findOwnNames({ mirrorId: one.mirror.id, names: [a, b, c, "another program's"] })
      expect(yield* find).toEqual([])
      yield* MirrorFixtures.claim(one.mirror)
      yield* MirrorFixtures.copyAll(other.mirror)
      expect((yield* find).toSorted()).toEqual([a, b].toSorted())
    })
  )

  it.effect("completeReconciliation: object written since the start, not listed → its file is not pending", () =>
    Effect.gen(function* () {
      const made = yield* MirrorFixtures.createWithFiles(1)
      const reconciliation = yield* startReconciliation(made, 500)
      yield* MirrorFixtures.copyAll(made.mirror)
      yield* completeReconciliation(reconciliation, true, 2500)
      expect(yield* countPending(made)).toBe(0)
    })
  )

  it.effect("lease: held → no other worker claims; expired or incomplete → still requested", () =>
    Effect.gen(function* () {
      const made = yield* MirrorFixtures.createWithFiles(1)
      const { bucket, mirror, ref } = made
      const tasks = yield* MirrorTaskRepository
      const isComparing = Effect.map(MirrorFixtures.get(bucket, mirror.id), ({ stats }) => stats.comparing)
      const isSyncWanted = (now: number) =>
        Effect.map(MirrorFixtures.findDue(mirror.id, Sample.at(now)), (due) => due?.isSyncWanted)
      const renew = (reconciliation: ReconciliationLease, until: number) =>
        tasks.renewReconciliation({ reconciliation, leaseUntil: Sample.at(until) })
      yield* MirrorFixtures.copyAll(mirror)
      expect(yield* isComparing).toBe(false)
      const first = yield* startReconciliation(made)
      expect(yield* isComparing).toBe(true)
      const second = { ...first, lease: Sample.word(), startedAt: Sample.at(5500) }
      expect(yield* claimReconciliation(second, 9000)).toBe(false)
      expect(yield* renew(first, 6000)).toBe(true)
      expect(yield* MirrorFixtures.findDue(mirror.id, Sample.at(5999))).toBe(undefined)
      expect(yield* isSyncWanted(6000)).toBe(true)
      const late = { ...second, startedAt: Sample.at(6000) }
      expect(yield* claimReconciliation(late, 9000)).toBe(true)
      yield* MirrorFixtures.createTasks(mirror.id)
      expect(yield* renew(first, 9000)).toBe(false)
      // The end of a reconciliation whose lease was lost marks nothing as missing.
      yield* completeReconciliation(first, true, 6100)
      expect(yield* countPending(made)).toBe(0)
      yield* completeReconciliation(late, false, 6200)
      expect(yield* isSyncWanted(6200)).toBe(true)
      // Requested again while it runs, it runs once more.
      const third = { ...first, lease: Sample.word(), startedAt: Sample.at(6300) }
      yield* claimReconciliation(third, 9000)
      yield* (yield* MirrorRepository).requestSync(ref, Sample.at(6400))
      yield* completeReconciliation(third, true, 6500)
      expect(yield* isSyncWanted(6500)).toBe(true)
      expect(yield* isComparing).toBe(true)
      const fourth = { ...first, lease: Sample.word(), startedAt: Sample.at(6600) }
      yield* claimReconciliation(fourth, 9000)
      yield* completeReconciliation(fourth, true, 6700)
      // It has also made sure that each file has a task.
      expect(yield* isComparing).toBe(true)
      yield* MirrorFixtures.createTasks(mirror.id)
      expect(yield* isComparing).toBe(false)
    })
  )
}
