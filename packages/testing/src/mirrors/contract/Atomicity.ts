/**
 * What could not be written whole changes nothing.
 */
import { assert } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Generate from "../../data/Generate.ts"
import { paused } from "../../storage/contract/Blobs.ts"
import * as Objects from "./Objects.ts"
import type { Settings, Tester } from "./Settings.ts"

class SourceError extends Data.TaggedError("SourceError")<{ readonly at: number }> {}

const former = Generate.bytes(1, 1000)

export const register = (it: Tester, { partBytes, timeout }: Settings): void => {
  const whole = Generate.bytes(2, 2 * partBytes + 1000)
  /** Bytes that go through before a source ends otherwise than it should. */
  const points = [0, 1000, partBytes, 2 * partBytes + 5]

  /** A bucket where one of the two names is taken. */
  const prepared = Effect.tap(Objects.fresh, (fresh) => Objects.write(fresh, "taken", former))
  const assertUnchanged = (fresh: Effect.Success<typeof prepared>) =>
    Effect.andThen(Objects.assertStands(fresh, "taken", former), Objects.assertAbsent(fresh, "free"))

  it.effect.each(points)(
    "changes nothing when the source fails after %i bytes, and passes its error through",
    (at) =>
      Effect.gen(function* () {
        const fresh = yield* prepared
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
    "changes nothing when the source dies, and passes the defect through",
    () =>
      Effect.gen(function* () {
        const fresh = yield* prepared
        const defect = new Error("a bug in the source")
        const source = Stream.concat(Generate.stream(2, partBytes + 7), Stream.die(defect))
        const exit = yield* Effect.exit(fresh.target.write(Objects.object("taken", whole), source))
        assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) === defect)
        yield* assertUnchanged(fresh)
      }),
    timeout
  )

  it.effect.each(points)(
    "changes nothing while bytes come, nor when it is interrupted after %i of them",
    (at) =>
      Effect.gen(function* () {
        const fresh = yield* prepared
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
    "refuses %i bytes that are not those of the object, and changes nothing",
    (size) =>
      Effect.gen(function* () {
        const fresh = yield* prepared
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
    "writes an object after a write that failed",
    () =>
      Effect.gen(function* () {
        const fresh = yield* prepared
        const source = Stream.concat(Generate.stream(2, partBytes + 7), Stream.fail("cut"))
        yield* Effect.flip(fresh.target.write(Objects.object("taken", whole), source))
        yield* Objects.write(fresh, "taken", whole)
        yield* Objects.assertStands(fresh, "taken", whole)
      }),
    timeout
  )
}
