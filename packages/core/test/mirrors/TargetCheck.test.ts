import { assert, describe, it } from "@effect/vitest"
import type { MirrorTarget } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { MirrorTargetError, type Reason } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as TargetCheck from "@holdfast/core/mirrors/targets/TargetCheck"
import * as MemoryMirrorTarget from "@holdfast/testing/mirrors/MemoryMirrorTarget"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

const fail = (operation: string, reason: Reason) =>
  Effect.fail(new MirrorTargetError({ operation, reason, detail: `${operation} failed` }))

/** Runs a check on a target in memory with some methods replaced; returns its error, and the names that are left. */
const check = Effect.fnUntraced(function* (
  methods: Partial<MirrorTarget>,
  list: Effect.Effect<void, MirrorTargetError> = Effect.void
) {
  const { names, target } = yield* MemoryMirrorTarget.make
  const error = yield* Effect.match(TargetCheck.run({ ...target, ...methods }, list), {
    onFailure: ({ operation, reason }) => [operation, reason],
    onSuccess: () => undefined
  })
  return { error, left: yield* names }
})

describe("TargetCheck.run", () => {
  it.effect("target that works → success, and nothing is left", () =>
    Effect.map(check({}), ({ error, left }) => {
      assert.isUndefined(error)
      assert.deepStrictEqual(left, [])
    })
  )

  it.effect("describe or list refused → that error, and nothing is left", () =>
    Effect.gen(function* () {
      const refused = { error: ["check", "Denied"], left: [] }
      assert.deepStrictEqual(yield* check({ describe: () => fail("describe", "Denied") }), refused)
      assert.deepStrictEqual(yield* check({}, fail("list", "Denied")), refused)
    })
  )

  it.effect("list and remove refused → the error of the listing", () =>
    Effect.gen(function* () {
      const { error } = yield* check({ remove: () => fail("remove", "Unavailable") }, fail("list", "Full"))
      assert.deepStrictEqual(error, ["check", "Full"])
    })
  )

  it.effect("remove refused → its error, and the object of the fixed name is left", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* check({ remove: () => fail("remove", "Unavailable") }), {
        error: ["check", "Unavailable"],
        left: [TargetCheck.objectName]
      })
    })
  )

  it.effect("object missing again and again → NotFound after three attempts", () =>
    Effect.gen(function* () {
      let attempts = 0
      const describe = () => Effect.suspend(() => (attempts++, fail("describe", "NotFound")))
      assert.deepStrictEqual((yield* check({ describe })).error, ["check", "NotFound"])
      assert.strictEqual(attempts, 3)
    })
  )

  it.effect.each(["write", "describe", "list", "remove"])("%s never ends → Unavailable after 30 seconds", (hanging) =>
    Effect.gen(function* () {
      const hang = { [hanging]: () => Effect.never }
      const checking = yield* Effect.forkChild(check(hang, hanging === "list" ? Effect.never : Effect.void))
      yield* TestClock.adjust("30 seconds")
      const { error, left } = yield* Fiber.join(checking)
      assert.deepStrictEqual(error, ["check", "Unavailable"])
      assert.deepStrictEqual(left, hanging === "remove" ? [TargetCheck.objectName] : [])
    })
  )

  it.effect("list and remove never end → Unavailable after 30 seconds, and the object of the fixed name is left", () =>
    Effect.gen(function* () {
      const checking = yield* Effect.forkChild(check({ remove: () => Effect.never }, Effect.never))
      yield* TestClock.adjust("30 seconds")
      const { error, left } = yield* Fiber.join(checking)
      assert.deepStrictEqual([error, left], [["check", "Unavailable"], [TargetCheck.objectName]])
    })
  )
})
