/**
 * What `MirrorTaskRepository` promises of the names of objects: each is one file's, and one worker's at a time.
 */
import { expect } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as Effect from "effect/Effect"
import type { It } from "../Metadata.ts"
import * as Mirrors from "./Mirrors.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

const { doom } = Mirrors

/** Two files that were copied, and steps with them. */
const scene = Effect.gen(function* () {
  const files = yield* FileRepository
  const bucket = yield* Fixtures.bucket()
  const [a, b] = [yield* Fixtures.store(bucket, { name: "a" }), yield* Fixtures.store(bucket, { name: "b" })]
  const { mirror } = yield* Mirrors.mirror(bucket)
  yield* Mirrors.copyAll(mirror)
  const rename = (file: { readonly id: string }, name: string) =>
    files.update({ bucket, selector: Fixtures.byId(file.id), change: { name }, at: Sample.at(500) })
  const remove = (file: { readonly id: string }) =>
    files.remove({ bucket, selector: Fixtures.byId(file.id), condition: {}, doom })
  return { bucket, a, b, mirror, rename, remove }
})

export const mirrorNameContract = (it: It): void => {
  it.effect("a file under a new name is written there, and its former object is removed", () =>
    Effect.gen(function* () {
      const { a, mirror, rename } = yield* scene
      yield* rename(a, "c")
      const first = yield* Mirrors.claim(mirror)
      expect(Mirrors.shown(first)).toEqual([{ fileId: a.id, write: "c", remove: ["a"] }])
      // Nobody knows how far that came: neither object is taken for granted.
      yield* rename(a, "d")
      yield* (yield* MirrorTaskRepository).abandon(first, Sample.at(1100))
      const second = yield* Mirrors.claim(mirror, Sample.at(1100))
      expect(Mirrors.shown(second)).toEqual([{ fileId: a.id, write: "d", remove: ["a", "c"] }])
      yield* Mirrors.settle(second.map((task) => Mirrors.done(task)))
      yield* rename(a, "a")
      const third = yield* Mirrors.copyAll(mirror, Sample.at(2000))
      expect(third).toMatchObject([{ write: { name: "a", hasBytes: false }, remove: ["d"] }])
    })
  )

  it.effect("two files that change names get each other's, and nothing is removed", () =>
    Effect.gen(function* () {
      const { a, b, mirror, rename } = yield* scene
      yield* rename(a, "tmp")
      yield* rename(b, "a")
      yield* rename(a, "b")
      const claimed = yield* Mirrors.claim(mirror)
      expect(Mirrors.shown(claimed)).toEqual([
        { fileId: a.id, write: "b", remove: [] },
        { fileId: b.id, write: "a", remove: [] }
      ])
      expect(claimed.map(({ write }) => write?.hasBytes)).toEqual([false, false])
    })
  )

  it.effect("claimed apart, the second waits until the first has its new name and gave up the former one", () =>
    Effect.gen(function* () {
      const { a, b, mirror, rename } = yield* scene
      yield* rename(a, "tmp")
      yield* rename(b, "a")
      yield* rename(a, "b")
      const one = (at: number) => Mirrors.claim(mirror, Sample.at(at), { limit: 1 })
      const first = yield* one(1000)
      const { fileId } = first[0] ?? { fileId: "" }
      const [own, other] = fileId === a.id ? (["a", "b"] as const) : (["b", "a"] as const)
      expect(Mirrors.shown(first)).toEqual([{ fileId, write: other, remove: [own] }])
      expect(yield* one(1000)).toEqual([])
      yield* Mirrors.settle(first.map((task) => Mirrors.done(task)))
      expect(Mirrors.shown(yield* one(2000))).toEqual([
        { fileId: fileId === a.id ? b.id : a.id, write: own, remove: [] }
      ])
    })
  )

  it.effect("a name that a worker is busy with is nobody else's until it has settled", () =>
    Effect.gen(function* () {
      const { a, b, mirror, remove, rename } = yield* scene
      yield* remove(a)
      const removal = yield* Mirrors.claim(mirror)
      expect(Mirrors.shown(removal)).toEqual([{ fileId: a.id, write: null, remove: ["a"] }])
      yield* rename(b, "a")
      expect(yield* Mirrors.claim(mirror, Sample.at(1000))).toEqual([])
      // It is looked at again soon, and still waits.
      expect(yield* Mirrors.claim(mirror, Sample.at(1500))).toEqual([])
      yield* Mirrors.settle(removal.map((task) => Mirrors.done(task)))
      expect(Mirrors.shown(yield* Mirrors.claim(mirror, Sample.at(2500)))).toEqual([
        { fileId: b.id, write: "a", remove: ["b"] }
      ])
    })
  )

  it.effect("a worker's lease that has ended keeps no name; what it tells later puts the name in doubt", () =>
    Effect.gen(function* () {
      const { a, b, bucket, mirror, remove, rename } = yield* scene
      yield* remove(a)
      const removal = yield* Mirrors.claim(mirror, Sample.at(1000), { until: 2000 })
      yield* rename(b, "a")
      const next = yield* Mirrors.claim(mirror, Sample.at(2000), { limit: 2 })
      expect(Mirrors.shown(next)).toEqual([
        { fileId: a.id, write: null, remove: [] },
        { fileId: b.id, write: "a", remove: ["b"] }
      ])
      yield* Mirrors.settle(next.map((task) => Mirrors.done(task)))
      expect((yield* Mirrors.find(bucket, mirror.id)).stats.pending).toBe(0)
      yield* Mirrors.settle(removal.map((task) => Mirrors.done(task)))
      const again = yield* Mirrors.claim(mirror, Sample.at(3000))
      expect(again).toMatchObject([{ fileId: b.id, write: { name: "a", hasBytes: false } }])
    })
  )

  it.effect("a name that nobody has any more, but a lost worker may have written, is removed", () =>
    Effect.gen(function* () {
      const { a, bucket, mirror, remove, rename } = yield* scene
      yield* rename(a, "c")
      const late = yield* Mirrors.claim(mirror, Sample.at(1000), { until: 2000 })
      yield* remove(a)
      yield* Mirrors.copyAll(mirror, Sample.at(2000))
      expect((yield* Mirrors.find(bucket, mirror.id)).stats).toMatchObject({ pending: 0, copied: 1 })
      yield* (yield* MirrorTaskRepository).abandon(late, Sample.at(2500))
      expect(Mirrors.shown(yield* Mirrors.claim(mirror, Sample.at(2500)))).toEqual([
        { fileId: a.id, write: null, remove: ["a", "c"] }
      ])
    })
  )

  it.effect("a file that is made anew under its name takes the object over, and keeps bytes that are the same", () =>
    Effect.gen(function* () {
      const { a, bucket, mirror, remove } = yield* scene
      yield* remove(a)
      const content = { ...a.content, blobId: yield* Fixtures.stage(bucket) }
      const file = Sample.file({ name: "a", version: 1, content })
      yield* (yield* FileRepository).insert(bucket, file)
      const claimed = yield* Mirrors.claim(mirror)
      expect(Mirrors.shown(claimed)).toEqual([
        { fileId: a.id, write: null, remove: [] },
        { fileId: file.id, write: "a", remove: [] }
      ])
      expect(claimed.find(({ fileId }) => fileId === file.id)?.write?.hasBytes).toBe(true)
    })
  )
}
