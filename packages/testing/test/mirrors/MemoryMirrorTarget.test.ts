import { assert, describe, it } from "@effect/vitest"
import type { Reason } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Generate from "../../src/data/Generate.ts"
import * as Objects from "../../src/mirrors/contract/Objects.ts"
import * as MemoryMirrorTarget from "../../src/mirrors/MemoryMirrorTarget.ts"
import * as MirrorSubject from "../../src/mirrors/MirrorSubject.ts"
import * as MirrorTargetContract from "../../src/mirrors/MirrorTargetContract.ts"

/** One that always fails. */
const broken = (reason: Reason) =>
  Effect.gen(function* () {
    const { faults, target } = yield* MemoryMirrorTarget.make
    yield* faults.failNext(Number.POSITIVE_INFINITY, reason)
    return target
  })

const subject = Layer.succeed(MirrorSubject.MirrorSubject, {
  fresh: MemoryMirrorTarget.make,
  broken: {
    wrongCredentials: broken("Denied"),
    missingBucket: broken("NotFound"),
    closedPort: broken("Unavailable"),
    privateAddress: broken("Refused")
  },
  secrets: ["secret"]
})

MirrorTargetContract.suite("MemoryMirrorTarget", subject, { boundedMemory: false })

describe("MemoryMirrorTarget", () => {
  const bytes = Generate.bytes(1, 100)

  it.effect("fails as often as it is told, where it is told, and counts", () =>
    Effect.gen(function* () {
      const fresh = yield* MemoryMirrorTarget.make
      const { faults, target } = fresh
      yield* faults.failNext(2, "Unavailable", { method: "write" })
      yield* faults.failNext(1, "Full", { method: "write", name: (name) => name === "b" })
      yield* faults.failNext(1, "Denied", { method: "list" })
      const outcomes = yield* Effect.forEach(["a", "a", "b", "b", "a"], (name) =>
        Effect.match(Objects.write(fresh, name, bytes), {
          onFailure: ({ reason }) => reason,
          onSuccess: () => "stands"
        })
      )
      assert.deepStrictEqual(outcomes, ["Unavailable", "Unavailable", "Full", "stands", "stands"])
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(target.list))).reason, "Denied")
      assert.strictEqual((yield* Objects.listed(target)).length, 2)
      yield* target.check
      assert.deepStrictEqual(
        yield* Effect.all([faults.calls("write"), faults.calls("list"), faults.calls("remove"), faults.calls()]),
        [5, 2, 0, 8]
      )
    })
  )

  it.effect("fails no more when its faults are forgotten", () =>
    Effect.gen(function* () {
      const { faults, target } = yield* MemoryMirrorTarget.make
      yield* faults.failNext(Number.POSITIVE_INFINITY, "Internal")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(target.check)))
      yield* faults.clear
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(target.check)))
    })
  )

  it.effect("waits until it is released", () =>
    Effect.gen(function* () {
      const fresh = yield* MemoryMirrorTarget.make
      const block = yield* fresh.faults.block({ method: "write", name: (name) => name === "a" })
      const writing = yield* Effect.forkChild(Objects.write(fresh, "a", bytes))
      yield* block.reached
      yield* Objects.write(fresh, "b", bytes)
      assert.deepStrictEqual(yield* fresh.names, ["b"])
      yield* block.release
      yield* Fiber.join(writing)
      assert.deepStrictEqual(yield* fresh.names, ["a", "b"])
      yield* Objects.write(fresh, "a", bytes)
    })
  )

  it.effect("lets strangers change it, without counting that", () =>
    Effect.gen(function* () {
      const { faults, plant, readBack, target, uproot } = yield* MemoryMirrorTarget.make
      yield* plant("a", bytes)
      const planted = Option.getOrThrow(yield* target.stat("a"))
      yield* plant("a", bytes)
      assert.notStrictEqual(Option.getOrThrow(yield* target.stat("a")).tag, planted.tag)
      assert.deepStrictEqual(Option.getOrThrow(yield* readBack("a")), { bytes, description: Objects.bare })
      yield* uproot("a")
      assert.isTrue(Option.isNone(yield* target.stat("a")))
      assert.strictEqual(yield* faults.calls(), 3)
    })
  )
})
