/**
 * The contract of `MirrorTaskRepository`: each name of an object belongs to one file, and to one worker at a time.
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

/** A mirror with two copied files, and functions that rename and remove them. */
const createCopied = Effect.gen(function* () {
  const files = yield* FileRepository
  const bucket = yield* Fixtures.bucket()
  const [a, b] = [yield* Fixtures.store(bucket, { name: "a" }), yield* Fixtures.store(bucket, { name: "b" })]
  const { mirror } = yield* MirrorFixtures.create(bucket)
  yield* MirrorFixtures.copyAll(mirror)
  const rename = (file: { readonly id: string }, name: string) =>
    files.update({ bucket, selector: Fixtures.byId(file.id), change: { name }, at: Sample.at(500) })
  const remove = (file: { readonly id: string }) =>
    files.remove({ bucket, selector: Fixtures.byId(file.id), condition: {}, sweepAt })
  const exchangeNames = Effect.andThen(rename(a, "tmp"), Effect.andThen(rename(b, "a"), rename(a, "b")))
  return { bucket, a, b, mirror, rename, remove, exchangeNames }
})

const { summarize } = MirrorFixtures

export const mirrorNameContract = (it: It): void => {
  it.effect("claim: file renamed → written under the new name, removed under the former ones", () =>
    Effect.gen(function* () {
      const { a, mirror, rename } = yield* createCopied
      yield* rename(a, "c")
      const first = yield* MirrorFixtures.claim(mirror)
      expect(summarize(first)).toEqual([{ fileId: a.id, write: "c", remove: ["a"] }])
      // The result is unknown: either object may exist.
      yield* rename(a, "d")
      yield* MirrorFixtures.abandon(first, 1100)
      const second = yield* MirrorFixtures.claim(mirror, Sample.at(1100))
      expect(summarize(second)).toEqual([{ fileId: a.id, write: "d", remove: ["a", "c"] }])
      yield* MirrorFixtures.succeed(second)
      yield* rename(a, "a")
      const third = yield* MirrorFixtures.copyAll(mirror, Sample.at(2000))
      expect(third).toMatchObject([{ write: { name: "a", hasBytes: false }, remove: ["d"] }])
    })
  )

  it.effect(
    "findCopies: copied → the object of ACTIVE mirrors; other bytes, file, bucket, or mirror paused → none",
    () =>
      Effect.gen(function* () {
        const tasks = yield* MirrorTaskRepository
        const mirrors = yield* MirrorRepository
        const { a, b, bucket, mirror, rename } = yield* createCopied
        const { sha256 } = a.content
        const find = (content: Partial<Parameters<typeof tasks.findCopies>[0]> = {}) =>
          Effect.map(tasks.findCopies({ bucket, fileId: a.id, sha256, ...content }), (copies) =>
            copies.map((copy) => [copy.mirror.id, copy.name])
          )
        expect(yield* find()).toEqual([[mirror.id, "a"]])
        // The object keeps the bytes while the mirror has not followed the new name.
        yield* rename(a, "c")
        expect(yield* find()).toEqual([[mirror.id, "a"]])
        expect(yield* find({ sha256: b.content.sha256 })).toEqual([])
        expect(yield* find({ fileId: b.id })).toEqual([])
        expect(yield* find({ bucket: yield* Fixtures.bucket() })).toEqual([])
        const ref = { ...bucket, mirrorId: mirror.id }
        yield* mirrors.update({ mirror: ref, change: { paused: true }, now: Sample.at(600) })
        expect(yield* find()).toEqual([])
        yield* mirrors.update({ mirror: ref, change: { paused: false }, now: Sample.at(700) })
        expect(yield* find()).toEqual([[mirror.id, "a"]])
        yield* mirrors.remove(ref)
        expect(yield* find()).toEqual([])
      })
  )

  it.effect("claim: two files exchanged their names → both written, nothing removed", () =>
    Effect.gen(function* () {
      const { a, b, exchangeNames, mirror } = yield* createCopied
      yield* exchangeNames
      const claimed = yield* MirrorFixtures.claim(mirror)
      expect(summarize(claimed)).toEqual([
        { fileId: a.id, write: "b", remove: [] },
        { fileId: b.id, write: "a", remove: [] }
      ])
      expect(claimed.map(({ write }) => write?.hasBytes)).toEqual([false, false])
    })
  )

  it.effect("claim: two files exchanged their names, claimed one by one → the second waits for the first", () =>
    Effect.gen(function* () {
      const { a, b, exchangeNames, mirror } = yield* createCopied
      yield* exchangeNames
      const one = (at: number) => MirrorFixtures.claim(mirror, Sample.at(at), { limit: 1 })
      const first = yield* one(1000)
      const { fileId } = first[0] ?? { fileId: "" }
      const [own, other] = fileId === a.id ? (["a", "b"] as const) : (["b", "a"] as const)
      expect(summarize(first)).toEqual([{ fileId, write: other, remove: [own] }])
      expect(yield* one(1000)).toEqual([])
      yield* MirrorFixtures.succeed(first)
      expect(summarize(yield* one(2000))).toEqual([{ fileId: fileId === a.id ? b.id : a.id, write: own, remove: [] }])
    })
  )

  it.effect("claim: name of a task that another worker has → not claimed until that task is completed", () =>
    Effect.gen(function* () {
      const { a, b, mirror, remove, rename } = yield* createCopied
      yield* remove(a)
      const removal = yield* MirrorFixtures.claim(mirror)
      expect(summarize(removal)).toEqual([{ fileId: a.id, write: null, remove: ["a"] }])
      yield* rename(b, "a")
      expect(yield* MirrorFixtures.claim(mirror, Sample.at(1000))).toEqual([])
      // The task is due again by now, but the name is still taken.
      expect(yield* MirrorFixtures.claim(mirror, Sample.at(1500))).toEqual([])
      yield* MirrorFixtures.succeed(removal)
      expect(summarize(yield* MirrorFixtures.claim(mirror, Sample.at(2500)))).toEqual([
        { fileId: b.id, write: "a", remove: ["b"] }
      ])
    })
  )

  it.effect("claim: lease expired → its names can be taken; a late result makes the new owner pending again", () =>
    Effect.gen(function* () {
      const { a, b, bucket, mirror, remove, rename } = yield* createCopied
      yield* remove(a)
      const removal = yield* MirrorFixtures.claim(mirror, Sample.at(1000), { until: 2000 })
      yield* rename(b, "a")
      const next = yield* MirrorFixtures.claim(mirror, Sample.at(2000), { limit: 2 })
      expect(summarize(next)).toEqual([
        { fileId: a.id, write: null, remove: [] },
        { fileId: b.id, write: "a", remove: ["b"] }
      ])
      yield* MirrorFixtures.succeed(next)
      expect((yield* MirrorFixtures.get(bucket, mirror.id)).stats.pending).toBe(0)
      yield* MirrorFixtures.succeed(removal)
      const again = yield* MirrorFixtures.claim(mirror, Sample.at(3000))
      expect(again).toMatchObject([{ fileId: b.id, write: { name: "a", hasBytes: false } }])
    })
  )

  it.effect("abandon: lease lost, names without owner → their objects are removed", () =>
    Effect.gen(function* () {
      const { a, bucket, mirror, remove, rename } = yield* createCopied
      yield* rename(a, "c")
      const late = yield* MirrorFixtures.claim(mirror, Sample.at(1000), { until: 2000 })
      yield* remove(a)
      yield* MirrorFixtures.copyAll(mirror, Sample.at(2000))
      expect((yield* MirrorFixtures.get(bucket, mirror.id)).stats).toMatchObject({ pending: 0, copied: 1 })
      yield* MirrorFixtures.abandon(late, 2500)
      expect(summarize(yield* MirrorFixtures.claim(mirror, Sample.at(2500)))).toEqual([
        { fileId: a.id, write: null, remove: ["a", "c"] }
      ])
    })
  )

  it.effect("claim: new file with the name and bytes of a removed one → owns its object, hasBytes is true", () =>
    Effect.gen(function* () {
      const { a, bucket, mirror, remove } = yield* createCopied
      yield* remove(a)
      const content = { ...a.content, blobId: yield* Fixtures.stage(bucket) }
      const file = Sample.file({ name: "a", version: 1, content })
      yield* (yield* FileRepository).insert(bucket, file)
      const claimed = yield* MirrorFixtures.claim(mirror)
      expect(summarize(claimed)).toEqual([
        { fileId: a.id, write: null, remove: [] },
        { fileId: file.id, write: "a", remove: [] }
      ])
      expect(claimed.find(({ fileId }) => fileId === file.id)?.write?.hasBytes).toBe(true)
    })
  )
}
