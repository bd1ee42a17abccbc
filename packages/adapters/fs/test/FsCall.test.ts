import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FsCall from "../src/internal/FsCall.ts"

describe("FsCall", () => {
  it.effect("call: interrupted → waits for the callback", () =>
    Effect.gen(function* () {
      let done: FsCall.Done = () => assert.fail("not begun")
      const fiber = yield* Effect.forkChild(
        FsCall.call<void>((callback) => {
          done = (error) => callback(error)
        }),
        { startImmediately: true }
      )
      fiber.interruptUnsafe()
      yield* Effect.yieldNow
      assert.isUndefined(fiber.pollUnsafe())
      done(null)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
    })
  )

  it.effect("call: callback error or thrown error → ErrnoError with its code", () =>
    Effect.gen(function* () {
      const error: NodeJS.ErrnoException = Object.assign(new Error("EIO: i/o error"), { code: "EIO" })
      const reported = yield* Effect.flip(FsCall.call<void>((done) => queueMicrotask(() => done(error))))
      const thrown = yield* Effect.flip(
        FsCall.call<void>(() => {
          throw error
        })
      )
      for (const failure of [reported, thrown]) {
        assert.strictEqual(failure.code, "EIO")
        assert.strictEqual(failure.cause, error)
      }
    })
  )
})
