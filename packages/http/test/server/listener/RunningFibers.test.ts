import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as RunningFibers from "../../../src/server/listener/RunningFibers.ts"

/** Starts five fibers; returns which of them were interrupted, by number. */
const make = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const running = yield* RunningFibers.make<void, never>(scope)
  const interrupted: Array<number> = []
  const ends: Array<() => void> = []
  const start = (number: number): Fiber.Fiber<void> => {
    const answer = Effect.callback<void>((resume) => {
      ends[number] = () => resume(Effect.void)
      return Effect.sync(() => void interrupted.push(number))
    })
    const fiber = Effect.runFork(answer)
    running.add(fiber)
    return fiber
  }
  const fibers = Array.from({ length: 5 }, (_, number) => start(number))
  return { ends, fibers, interrupted, scope, start }
})

describe("RunningFibers", () => {
  it.effect("some fibers have ended, the scope closes → interrupts the others and waits for their ends", () =>
    Effect.gen(function* () {
      const { ends, fibers, interrupted, scope, start } = yield* make
      for (const number of [1, 4, 0]) {
        ends[number]?.()
        yield* Fiber.await(fibers[number] ?? assert.fail())
      }
      start(5)
      yield* Scope.close(scope, Exit.void)
      assert.sameMembers(interrupted, [2, 3, 5])
    })
  )

  it.effect("the scope is closed → interrupts a fiber that is added", () =>
    Effect.gen(function* () {
      const { interrupted, scope, start } = yield* make
      yield* Scope.close(scope, Exit.void)
      const exit = yield* Fiber.await(start(5))
      assert.isTrue(Exit.hasInterrupts(exit))
      assert.include(interrupted, 5)
    })
  )
})
