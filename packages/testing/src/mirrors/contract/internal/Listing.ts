/**
 * Tests of `remove`, `stat` and `list`.
 */
import { assert } from "@effect/vitest"
import * as MirrorTarget from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Generate from "../../../data/Generate.ts"
import * as Objects from "../Objects.ts"
import type { Settings, Tester } from "./Settings.ts"

export const register = (it: Tester, { largeTimeout, manyObjects, timeout }: Settings): void => {
  it.effect(
    "list: new bucket → empty, also after a check",
    () =>
      Effect.gen(function* () {
        const { target } = yield* Objects.fresh
        assert.deepStrictEqual(yield* Objects.listSorted(target), [])
        assert.isUndefined(yield* target.check)
        assert.deepStrictEqual(yield* Objects.listSorted(target), [])
        assert.isTrue(Option.isNone(yield* target.stat("missing")))
      }),
    timeout
  )

  it.effect(
    "remove: repeated, or object missing → succeeds, other objects stay",
    () =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const bytes = Generate.bytes(1, 10)
        const names = ["a", "a/b", "a/b/c", "ab", "a b"]
        yield* Effect.forEach(names, (name) => Objects.write(fresh, name, bytes), { concurrency: 4 })
        yield* fresh.target.remove("a/b")
        yield* fresh.target.remove("a/b")
        yield* fresh.target.remove("never/there")
        yield* Objects.assertNoObject(fresh, "a/b")
        for (const name of ["a", "a/b/c", "ab", "a b"]) yield* Objects.assertObject(fresh, name, bytes)
        yield* Objects.write(fresh, "a/b", bytes)
        yield* Objects.assertObject(fresh, "a/b", bytes)
      }),
    timeout
  )

  it.effect(
    `list: ${manyObjects} objects → all of them, unchanged since their receipts`,
    () =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const names = Array.from({ length: manyObjects }, (_, index) => `folder ${index % 7}/é+${index}`)
        const written = yield* Effect.forEach(
          names,
          (name, index) => {
            const bytes = Generate.bytes(index, index % 50)
            const { byteLength: size } = bytes
            return Effect.map(Objects.write(fresh, name, bytes), (receipt) => ({ name, size, receipt }))
          },
          { concurrency: 16 }
        )
        const listed = new Map((yield* Objects.listSorted(fresh.target)).map((object) => [object.name, object]))
        assert.strictEqual(listed.size, written.length)
        for (const { name, receipt, size } of written) {
          const object = listed.get(name)
          assert.strictEqual(object?.size, size)
          assert.isTrue(object !== undefined && MirrorTarget.isUnchanged(receipt, object))
        }
      }),
    largeTimeout
  )

  it.effect(
    "list: stopped early → the next listing starts from the beginning",
    () =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const names = Array.from({ length: 12 }, (_, index) => `${index}`)
        yield* Effect.forEach(names, (name) => Objects.write(fresh, name, Generate.bytes(2, 1)), { concurrency: 4 })
        for (let turn = 0; turn < 10; turn++) {
          const some = yield* Stream.runCollect(Stream.take(fresh.target.list, 3))
          assert.strictEqual(new Set(some.map(({ name }) => name)).size, 3)
        }
        assert.strictEqual((yield* Objects.listSorted(fresh.target)).length, names.length)
      }),
    timeout
  )
}
