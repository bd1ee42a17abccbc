/**
 * Tests that a write that fails changes nothing.
 */
import { assert } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Generate from "../../../data/Generate.ts"
import { paused } from "../../../storage/contract/internal/Blobs.ts"
import * as Objects from "../Objects.ts"
import type { Settings, Tester } from "./Settings.ts"

class SourceError extends Data.TaggedError("SourceError")<{ readonly at: number }> {}

const former = Generate.bytes(1, 1000)

export const register = (it: Tester, { partBytes, timeout }: Settings): void => {
  const whole = Generate.bytes(2, 2 * partBytes + 1000)
  /** Numbers of bytes after which a source fails or is interrupted. */
  const points = [0, 1000, partBytes, 2 * partBytes + 5]

  /** Opens a target that has an object `taken`, and none of the name `free`. */
  const openWithObject = Effect.tap(Objects.fresh, (fresh) => Objects.write(fresh, "taken", former))
  const assertUnchanged = (fresh: Effect.Success<typeof openWithObject>) =>
    Effect.andThen(Objects.assertObject(fresh, "taken", former), Objects.assertNoObject(fresh, "free"))

  it.effect.each(points)(
    "write: source fails after %i bytes → its own error, nothing changed",
    (at) =>
      Effect.gen(function* () {
        const fresh = yield* openWithObject
        const error = new SourceError({ at })
        const source = Stream.concat(Generate.stream(2, at), Stream.fail(error))
        for (const name of ["taken", "free"]) {
          assert.strictEqual(yield* Effect.flip(fresh.target.write(Objects.object(name, whole), source)), error)
        }
        yield* assertUnchanged(fresh)
      }),
    timeout
  )

  it.effect(
    "write: source dies → its own defect, nothing changed",
    () =>
      Effect.gen(function* () {
        const fresh = yield* openWithObject
        const defect = new Error("a bug in the source")
        const source = Stream.concat(Generate.stream(2, partBytes + 7), Stream.die(defect))
        const exit = yield* Effect.exit(fresh.target.write(Objects.object("taken", whole), source))
        assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) === defect)
        yield* assertUnchanged(fresh)
      }),
    timeout
  )

  it.effect.each(points)(
    "write: interrupted after %i bytes → nothing changed, neither before nor after",
    (at) =>
      Effect.gen(function* () {
        const fresh = yield* openWithObject
        for (const name of ["taken", "free"]) {
          const source = yield* paused(whole, at)
          const writing = yield* Effect.forkChild(fresh.target.write(Objects.object(name, whole), source.stream))
          yield* source.reached
          yield* assertUnchanged(fresh)
          yield* Fiber.interrupt(writing)
          yield* assertUnchanged(fresh)
        }
      }),
    timeout
  )

  it.effect.each([1000, partBytes + 1000])(
    "write: %i bytes declared, other bytes sent → Damaged, nothing changed",
    (size) =>
      Effect.gen(function* () {
        const fresh = yield* openWithObject
        const bytes = Generate.bytes(3, size)
        const sources = [
          Generate.stream(4, size),
          Generate.stream(3, size - 1),
          Stream.concat(Generate.stream(3, size), Stream.make(Uint8Array.of(0))),
          Stream.empty
        ]
        for (const name of ["taken", "free"]) {
          for (const source of sources) {
            const error = yield* Effect.flip(fresh.target.write(Objects.object(name, bytes), source))
            assert.deepStrictEqual([error.reason, error.operation], ["Damaged", "write"])
          }
        }
        yield* assertUnchanged(fresh)
      }),
    timeout
  )

  it.effect(
    "write: after a failed write → the object is written",
    () =>
      Effect.gen(function* () {
        const fresh = yield* openWithObject
        const source = Stream.concat(Generate.stream(2, partBytes + 7), Stream.fail("cut"))
        yield* Effect.flip(fresh.target.write(Objects.object("taken", whole), source))
        yield* Objects.write(fresh, "taken", whole)
        yield* Objects.assertObject(fresh, "taken", whole)
      }),
    timeout
  )
}
