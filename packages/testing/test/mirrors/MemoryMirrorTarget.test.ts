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

/** A target whose methods all fail. */
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

  it.effect("failNext, countCalls: failures for some methods and names → exactly those calls fail", () =>
    Effect.gen(function* () {
      const fresh = yield* MemoryMirrorTarget.make
      const { faults, target } = fresh
      yield* faults.failNext(2, "Unavailable", { method: "write" })
      yield* faults.failNext(1, "Full", { method: "write", name: (name) => name === "b" })
      yield* faults.failNext(1, "Denied", { method: "list" })
      const outcomes = yield* Effect.forEach(["a", "a", "b", "b", "a"], (name) =>
        Effect.match(Objects.write(fresh, name, bytes), {
          onFailure: ({ reason }) => reason,
          onSuccess: () => "written"
        })
      )
      assert.deepStrictEqual(outcomes, ["Unavailable", "Unavailable", "Full", "written", "written"])
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(target.list))).reason, "Denied")
      assert.strictEqual((yield* Objects.listSorted(target)).length, 2)
      yield* target.check
      assert.deepStrictEqual(
        yield* Effect.all([
          faults.countCalls("write"),
          faults.countCalls("list"),
          faults.countCalls("remove"),
          faults.countCalls()
        ]),
        [5, 2, 0, 8]
      )
    })
  )

  it.effect("clear: failures left → the next call succeeds", () =>
    Effect.gen(function* () {
      const { faults, target } = yield* MemoryMirrorTarget.make
      yield* faults.failNext(Number.POSITIVE_INFINITY, "Internal")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(target.check)))
      yield* faults.clear
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(target.check)))
    })
  )

  it.effect("block: matching call → waits until the release; other calls → proceed", () =>
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

  it.effect("putExternally, removeExternally → the objects change, no calls are counted", () =>
    Effect.gen(function* () {
      const { faults, putExternally, readBack, removeExternally, target } = yield* MemoryMirrorTarget.make
      yield* putExternally("a", bytes)
      const first = Option.getOrThrow(yield* target.stat("a"))
      yield* putExternally("a", bytes)
      assert.notStrictEqual(Option.getOrThrow(yield* target.stat("a")).tag, first.tag)
      assert.deepStrictEqual(Option.getOrThrow(yield* readBack("a")), {
        bytes,
        description: Objects.minimalDescription
      })
      yield* removeExternally("a")
      assert.isTrue(Option.isNone(yield* target.stat("a")))
      assert.strictEqual(yield* faults.countCalls(), 3)
    })
  )
})
