import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { createRequire } from "node:module"
import { vi } from "vitest"
import { PasswordHash } from "../../src/files/shares/PasswordHash.ts"

type Done = (error: Error | null, key: Uint8Array) => void

const crypto = createRequire(import.meta.url)("node:crypto") as { scrypt: (...args: ReadonlyArray<unknown>) => void }

describe("PasswordHash", () => {
  it.live("hash: interrupted while a thread computes it → the next one begins when the thread has ended", () =>
    Effect.gen(function* () {
      const running: Array<Done> = []
      const spy = vi.spyOn(crypto, "scrypt").mockImplementation((...args) => void running.push(args.at(-1) as Done))
      yield* Effect.addFinalizer(() => Effect.sync(() => spy.mockRestore()))
      const { hash } = yield* PasswordHash
      const hashing = hash("password", new Uint8Array(16))
      const first = yield* Effect.forkChild(hashing, { startImmediately: true })
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(first), { startImmediately: true })
      const second = yield* Effect.forkChild(hashing, { startImmediately: true })
      yield* Effect.yieldNow
      assert.strictEqual(running.length, 1)
      running[0]?.(null, new Uint8Array(32))
      yield* Fiber.join(interrupting)
      yield* Effect.promise(() => vi.waitFor(() => assert.strictEqual(running.length, 2), { timeout: 20_000 }))
      running[1]?.(null, new Uint8Array(32))
      assert.match(yield* Fiber.join(second), /^scrypt\$/)
    })
  )
})
