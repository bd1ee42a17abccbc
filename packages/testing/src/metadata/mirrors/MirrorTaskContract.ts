/**
 * What `MirrorTaskRepository` promises of claims.
 */
import { expect } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as Effect from "effect/Effect"
import type { It } from "../Metadata.ts"
import * as Mirrors from "./Mirrors.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

const { doom } = Mirrors

const stored = Effect.fnUntraced(function* (count: number) {
  const bucket = yield* Fixtures.bucket()
  const files = yield* Effect.forEach(Array.from({ length: count }).keys(), () => Fixtures.store(bucket))
  return { files, ...(yield* Mirrors.mirror(bucket)) }
})

const pendingOf = ({ bucket, mirror }: Effect.Success<ReturnType<typeof stored>>) =>
  Effect.map(Mirrors.find(bucket, mirror.id), ({ stats }) => stats.pending)

export const mirrorTaskContract = (it: It): void => {
  it.effect("a claim gives the file, its object's name and what is known of it", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket, { path: "/a/ü/", name: "b.txt", headers: [{ name: "A", value: "b" }] })
      const { mirror } = yield* Mirrors.mirror(bucket)
      expect(yield* Mirrors.due(mirror.id)).toMatchObject({ hasTasks: true, isFilling: false, isRemoved: false })
      const claimed = yield* Mirrors.claim(mirror)
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
      expect(yield* Mirrors.due(mirror.id)).toBe(undefined)
      expect(yield* Mirrors.claim(mirror)).toEqual([])
    })
  )

  it.effect("each file is claimed once, however many claim; the ones that have waited longest first", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const files = yield* Effect.forEach([3, 1, 2], (offset) =>
        Fixtures.store(bucket, { updatedAt: Sample.at(offset), createdAt: Sample.at() })
      )
      const { mirror } = yield* Mirrors.mirror()
      const own = yield* Mirrors.mirror(bucket)
      yield* Mirrors.copyAll(own.mirror)
      for (const [index, { id }] of files.entries()) {
        const at = Sample.at([30, 10, 20][index])
        yield* (yield* FileRepository).update({
          bucket,
          selector: Fixtures.byId(id),
          change: { metadata: { index } },
          at
        })
      }
      expect(yield* Mirrors.claim(own.mirror, Sample.at(9))).toEqual([])
      const first = yield* Mirrors.claim(own.mirror, Sample.at(1000), { limit: 1 })
      expect(first.map(({ fileId }) => fileId)).toEqual([files[1]?.id])
      yield* Effect.forEach(Array.from({ length: 40 }), () => Fixtures.store(mirror))
      const many = yield* Effect.forEach(
        Array.from({ length: 12 }),
        () => Mirrors.claim(mirror, Sample.at(1000), { limit: 4 }),
        { concurrency: "unbounded" }
      )
      const ids = many.flat().map(({ fileId }) => fileId)
      expect(new Set(ids).size).toBe(ids.length)
      // Claims that meet may pass over each other's candidates, but leave them to the next one.
      const rest = yield* Mirrors.claim(mirror)
      expect(ids.length + rest.length).toBe(40)
    })
  )

  it.effect("a change between claim and settlement leaves the file pending, and due at once", () =>
    Effect.gen(function* () {
      const made = yield* stored(1)
      const { bucket, files, mirror } = made
      const id = files[0]?.id ?? ""
      const before = yield* Mirrors.claim(mirror)
      yield* (yield* FileRepository).update({
        bucket,
        selector: Fixtures.byId(id),
        change: { metadata: { a: 1 } },
        at: Sample.at(1500)
      })
      expect(yield* Mirrors.claim(mirror, Sample.at(1600))).toEqual([])
      yield* Mirrors.settle(before.map((task) => Mirrors.done(task)))
      expect(yield* pendingOf(made)).toBe(1)
      const [again] = yield* Mirrors.claim(mirror, Sample.at(2000))
      expect(again).toMatchObject({ wanted: 2, write: { hasBytes: true, file: { metadata: { a: 1 } } } })
      if (again !== undefined) yield* Mirrors.settle([Mirrors.done(again)])
      expect(yield* pendingOf(made)).toBe(0)
    })
  )

  it.effect("other bytes are to be written whole, and so are those of which nobody knows whether they arrived", () =>
    Effect.gen(function* () {
      const { bucket, files, mirror } = yield* stored(1)
      const repository = yield* FileRepository
      const id = files[0]?.id ?? ""
      yield* Mirrors.copyAll(mirror)
      yield* repository.replaceContent({
        bucket,
        fileId: id,
        content: Sample.content(yield* Fixtures.stage(bucket)),
        condition: {},
        doom
      })
      const [first] = yield* Mirrors.claim(mirror)
      expect(first?.write?.hasBytes).toBe(false)
      const retryAt = Sample.at(3000)
      if (first !== undefined) {
        yield* Mirrors.settle([{ ...Mirrors.done(first), written: null, failure: { error: null, retryAt } }])
      }
      expect(yield* Mirrors.claim(mirror, Sample.at(2999))).toEqual([])
      const [second] = yield* Mirrors.claim(mirror, Sample.at(3000))
      expect(second).toMatchObject({ attempts: 1, write: { hasBytes: false } })
    })
  )

  it.effect("a removed file's object is removed, and then nothing is left of it", () =>
    Effect.gen(function* () {
      const made = yield* stored(2)
      const { bucket, files, mirror } = made
      yield* Mirrors.copyAll(mirror)
      const [gone] = files
      yield* (yield* FileRepository).remove({ bucket, selector: Fixtures.byId(gone?.id ?? ""), condition: {}, doom })
      const [task] = yield* Mirrors.claim(mirror)
      expect(task).toMatchObject({ fileId: gone?.id, write: null, remove: [gone?.name] })
      if (task === undefined) return
      const retryAt = Sample.at(2000)
      yield* Mirrors.settle([{ ...Mirrors.done(task), removed: [], failure: { error: null, retryAt } }])
      const [again] = yield* Mirrors.claim(mirror, retryAt)
      expect(again).toMatchObject({ fileId: gone?.id, write: null, remove: [gone?.name] })
      if (again !== undefined) yield* Mirrors.settle([Mirrors.done(again)])
      expect((yield* Mirrors.find(bucket, mirror.id)).stats).toMatchObject({ pending: 0, copied: 1 })
      expect(yield* (yield* MirrorRepository).files(mirror.id, undefined, undefined, 9)).toHaveLength(1)
    })
  )

  it.effect("a hold stands until its lease ends, unless it is prolonged", () =>
    Effect.gen(function* () {
      const { mirror } = yield* stored(2)
      const tasks = yield* MirrorTaskRepository
      const claimed = yield* Mirrors.claim(mirror, Sample.at(1000), { until: 2000 })
      expect(claimed).toHaveLength(2)
      const kept = yield* tasks.renew(claimed.slice(0, 1), Sample.at(9000))
      expect(kept).toEqual(claimed.slice(0, 1).map(({ fileId, lease, mirrorId }) => ({ mirrorId, fileId, lease })))
      expect(yield* Mirrors.claim(mirror, Sample.at(1999))).toEqual([])
      const taken = yield* Mirrors.claim(mirror, Sample.at(2000))
      expect(taken.map(({ fileId }) => fileId)).toEqual([claimed[1]?.fileId])
      expect(yield* tasks.renew(claimed, Sample.at(9000))).toHaveLength(1)
    })
  )

  it.effect("what a worker tells whose hold was lost is believed no more: whatever it wrote is in doubt", () =>
    Effect.gen(function* () {
      const made = yield* stored(1)
      const { mirror } = made
      const late = yield* Mirrors.claim(mirror, Sample.at(1000), { until: 2000 })
      const next = yield* Mirrors.claim(mirror, Sample.at(2000))
      yield* Mirrors.settle(next.map((task) => Mirrors.done(task)))
      expect(yield* pendingOf(made)).toBe(0)
      yield* Mirrors.settle(late.map((task) => Mirrors.done(task)))
      expect(yield* pendingOf(made)).toBe(1)
      const [again] = yield* Mirrors.claim(mirror, Sample.at(3000))
      expect(again?.write?.hasBytes).toBe(false)
    })
  )

  it.effect("what is given back is due at once, and was no try", () =>
    Effect.gen(function* () {
      const { mirror } = yield* stored(3)
      const tasks = yield* MirrorTaskRepository
      const claimed = yield* Mirrors.claim(mirror)
      yield* tasks.abandon(claimed, Sample.at(1200))
      const again = yield* Mirrors.claim(mirror, Sample.at(1200))
      expect(again.map(({ attempts, wanted }) => [attempts, wanted])).toEqual([
        [0, 1],
        [0, 1],
        [0, 1]
      ])
    })
  )
}
