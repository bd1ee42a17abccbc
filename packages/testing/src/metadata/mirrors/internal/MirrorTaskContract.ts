/**
 * The contract of `MirrorTaskRepository`: claims and results of tasks.
 */
import { expect } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as Effect from "effect/Effect"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"
import * as MirrorFixtures from "../MirrorFixtures.ts"

const { sweepAt } = MirrorFixtures

type Created = Effect.Success<ReturnType<typeof MirrorFixtures.createWithFiles>>

const countPending = ({ bucket, mirror }: Created) =>
  Effect.map(MirrorFixtures.get(bucket, mirror.id), ({ stats }) => stats.pending)

export const mirrorTaskContract = (it: It): void => {
  it.effect("claim: pending file → the file, the name of its object, and whether the target has its bytes", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket, { path: "/a/ü/", name: "b.txt", headers: [{ name: "A", value: "b" }] })
      const { mirror } = yield* MirrorFixtures.create(bucket)
      const due = MirrorFixtures.findDue(mirror.id)
      expect(yield* due).toMatchObject({ hasTasks: true, lacksTasks: false, isRemoved: false })
      const claimed = yield* MirrorFixtures.claim(mirror)
      const name = "a/ü/b.txt"
      expect(claimed).toEqual([
        {
          mirrorId: mirror.id,
          fileId: file.id,
          lease: claimed[0]?.lease,
          wanted: 1,
          attempts: 0,
          write: { file, name, hasBytes: false },
          remove: []
        }
      ])
      expect(yield* due).toBe(undefined)
      expect(yield* MirrorFixtures.claim(mirror)).toEqual([])
    })
  )

  it.effect("due: many mirrors of one tenant and one of another → one of each tenant first; idle ones not at all", () =>
    Effect.gen(function* () {
      const [tasks, mirrors] = [yield* MirrorTaskRepository, yield* MirrorRepository]
      for (const { mirror } of yield* MirrorFixtures.listDue(Sample.at(1_000_000_000))) {
        yield* mirrors.remove({ ...mirror, mirrorId: mirror.id })
        while (yield* tasks.clearRemoved({ mirrorId: mirror.id, limit: 1000 })) {}
      }
      const crowd = yield* Fixtures.bucket()
      const ids = new Set<string>()
      for (let index = 0; index < 12; index++) ids.add((yield* MirrorFixtures.create(crowd)).mirror.id)
      const idle = yield* MirrorFixtures.create()
      yield* Fixtures.store(crowd)
      const other = yield* MirrorFixtures.createWithFiles(1)
      const due = (limit: number) => tasks.due({ after: "", limit, now: Sample.at(1000) })
      const first = yield* due(2)
      expect(first.next).toBe(null)
      expect(first.mirrors.map(({ mirror }) => mirror.tenantId).toSorted()).toEqual(
        [crowd.tenantId, other.bucket.tenantId].toSorted()
      )
      const all = (yield* due(100)).mirrors.map(({ mirror }) => mirror.id)
      expect(new Set(all)).toEqual(new Set([...ids, other.mirror.id]))
      expect(all).not.toContain(idle.mirror.id)
      // Mirrors before the position are not looked at.
      const after = [...ids].toSorted()[5] ?? ""
      const rest = yield* tasks.due({ after, limit: 100, now: Sample.at(1000) })
      expect(rest.mirrors.map(({ mirror }) => mirror.id).every((id) => id > after)).toBe(true)
    })
  )

  it.effect("claim: many concurrent claims → each task once, those first that are due the longest", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const files = yield* Effect.forEach([3, 1, 2], (offset) =>
        Fixtures.store(bucket, { updatedAt: Sample.at(offset), createdAt: Sample.at() })
      )
      const { mirror } = yield* MirrorFixtures.create()
      const own = yield* MirrorFixtures.create(bucket)
      yield* MirrorFixtures.copyAll(own.mirror)
      for (const [index, { id }] of files.entries()) {
        const at = Sample.at([30, 10, 20][index])
        yield* (yield* FileRepository).update({
          bucket,
          selector: Fixtures.byId(id),
          change: { metadata: { index } },
          at
        })
      }
      expect(yield* MirrorFixtures.claim(own.mirror, Sample.at(9))).toEqual([])
      const first = yield* MirrorFixtures.claim(own.mirror, Sample.at(1000), { limit: 1 })
      expect(first.map(({ fileId }) => fileId)).toEqual([files[1]?.id])
      yield* Effect.forEach(Array.from({ length: 40 }), () => Fixtures.store(mirror))
      const many = yield* Effect.forEach(
        Array.from({ length: 12 }),
        () => MirrorFixtures.claim(mirror, Sample.at(1000), { limit: 4 }),
        { concurrency: "unbounded" }
      )
      const ids = many.flat().map(({ fileId }) => fileId)
      expect(new Set(ids).size).toBe(ids.length)
      // Concurrent claims may skip tasks that the others have locked. The next claim finds those.
      const rest = yield* MirrorFixtures.claim(mirror)
      expect(ids.length + rest.length).toBe(40)
    })
  )

  it.effect("complete: file changed since the claim → still pending, and due at once", () =>
    Effect.gen(function* () {
      const made = yield* MirrorFixtures.createWithFiles(1)
      const { bucket, files, mirror } = made
      const id = files[0]?.id ?? ""
      const before = yield* MirrorFixtures.claim(mirror)
      yield* (yield* FileRepository).update({
        bucket,
        selector: Fixtures.byId(id),
        change: { metadata: { a: 1 } },
        at: Sample.at(1500)
      })
      expect(yield* MirrorFixtures.claim(mirror, Sample.at(1600))).toEqual([])
      yield* MirrorFixtures.succeed(before)
      expect(yield* countPending(made)).toBe(1)
      const again = yield* MirrorFixtures.claim(mirror, Sample.at(2000))
      expect(again[0]).toMatchObject({ wanted: 2, write: { hasBytes: true, file: { metadata: { a: 1 } } } })
      yield* MirrorFixtures.succeed(again)
      expect(yield* countPending(made)).toBe(0)
    })
  )

  it.effect("claim: other content, or result of the last write unknown → hasBytes is false", () =>
    Effect.gen(function* () {
      const { bucket, files, mirror } = yield* MirrorFixtures.createWithFiles(1)
      const repository = yield* FileRepository
      const id = files[0]?.id ?? ""
      yield* MirrorFixtures.copyAll(mirror)
      yield* repository.replaceContent({
        bucket,
        fileId: id,
        content: Sample.content(yield* Fixtures.stage(bucket)),
        condition: {},
        sweepAt
      })
      const first = yield* MirrorFixtures.claim(mirror)
      expect(first[0]?.write?.hasBytes).toBe(false)
      const retryAt = Sample.at(3000)
      yield* MirrorFixtures.complete(first.map((task) => MirrorFixtures.failed(task, { error: null, retryAt })))
      expect(yield* MirrorFixtures.claim(mirror, Sample.at(2999))).toEqual([])
      const [second] = yield* MirrorFixtures.claim(mirror, Sample.at(3000))
      expect(second).toMatchObject({ attempts: 1, write: { hasBytes: false } })
    })
  )

  it.effect("complete: file removed → its object is removed, and then its task is deleted", () =>
    Effect.gen(function* () {
      const { bucket, files, mirror } = yield* MirrorFixtures.createWithFiles(2)
      yield* MirrorFixtures.copyAll(mirror)
      const [gone] = files
      yield* (yield* FileRepository).remove({ bucket, selector: Fixtures.byId(gone?.id ?? ""), condition: {}, sweepAt })
      const removal = { fileId: gone?.id, write: null, remove: [gone?.name] }
      const first = yield* MirrorFixtures.claim(mirror)
      expect(first).toMatchObject([removal])
      const retryAt = Sample.at(2000)
      yield* MirrorFixtures.complete(first.map((task) => MirrorFixtures.failed(task, { error: null, retryAt })))
      const second = yield* MirrorFixtures.claim(mirror, retryAt)
      expect(second).toMatchObject([removal])
      yield* MirrorFixtures.succeed(second)
      expect((yield* MirrorFixtures.get(bucket, mirror.id)).stats).toMatchObject({ pending: 0, copied: 1 })
      const list = { mirrorId: mirror.id, state: undefined, after: undefined, limit: 9 }
      expect(yield* (yield* MirrorRepository).files(list)).toHaveLength(1)
    })
  )

  it.effect("renew: lease renewed → still held; not renewed → claimed by another worker once it expired", () =>
    Effect.gen(function* () {
      const { mirror } = yield* MirrorFixtures.createWithFiles(2)
      const tasks = yield* MirrorTaskRepository
      const claimed = yield* MirrorFixtures.claim(mirror, Sample.at(1000), { until: 2000 })
      expect(claimed).toHaveLength(2)
      const renewed = yield* tasks.renew({
        leases: claimed.slice(0, 1),
        leaseUntil: Sample.at(9000),
        now: Sample.at(1000)
      })
      expect(renewed).toEqual(claimed.slice(0, 1).map(({ fileId, lease, mirrorId }) => ({ mirrorId, fileId, lease })))
      expect(yield* MirrorFixtures.claim(mirror, Sample.at(1999))).toEqual([])
      const taken = yield* MirrorFixtures.claim(mirror, Sample.at(2000))
      expect(taken.map(({ fileId }) => fileId)).toEqual([claimed[1]?.fileId])
      expect(yield* tasks.renew({ leases: claimed, leaseUntil: Sample.at(9000), now: Sample.at(1000) })).toHaveLength(1)
    })
  )

  it.effect("complete: lease lost → the result is ignored, and the file is pending again", () =>
    Effect.gen(function* () {
      const made = yield* MirrorFixtures.createWithFiles(1)
      const { mirror } = made
      const late = yield* MirrorFixtures.claim(mirror, Sample.at(1000), { until: 2000 })
      const next = yield* MirrorFixtures.claim(mirror, Sample.at(2000))
      yield* MirrorFixtures.succeed(next)
      expect(yield* countPending(made)).toBe(0)
      yield* MirrorFixtures.succeed(late)
      expect(yield* countPending(made)).toBe(1)
      const [again] = yield* MirrorFixtures.claim(mirror, Sample.at(3000))
      expect(again?.write?.hasBytes).toBe(false)
    })
  )

  it.effect("abandon: leases held → tasks due at once, no attempt counted", () =>
    Effect.gen(function* () {
      const { mirror } = yield* MirrorFixtures.createWithFiles(3)
      yield* MirrorFixtures.abandon(yield* MirrorFixtures.claim(mirror), 1200)
      const again = yield* MirrorFixtures.claim(mirror, Sample.at(1200))
      expect(again.map(({ attempts, wanted }) => [attempts, wanted])).toEqual([
        [0, 1],
        [0, 1],
        [0, 1]
      ])
    })
  )
}
