/**
 * Tests that errors have the right reason, and contain no keys.
 */
import { assert } from "@effect/vitest"
import type { MirrorTarget } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as MirrorTargetError from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import * as Generate from "../../../data/Generate.ts"
import * as MirrorSubject from "../../MirrorSubject.ts"
import * as Objects from "../Objects.ts"
import type { Settings, Tester } from "./Settings.ts"

const bytes = Generate.bytes(1, 10)
const object = Objects.object("folder/a.txt", bytes)

type Call = (target: MirrorTarget) => Effect.Effect<unknown, MirrorTargetError.MirrorTargetError>

const calls = {
  check: (target) => target.check,
  write: (target) => target.write(object, Stream.make(bytes)),
  describe: (target) => target.describe(object),
  remove: (target) => target.remove(object.name),
  stat: (target) => target.stat(object.name),
  read: (target) => Stream.runDrain(target.read(object.name)),
  list: (target) => Stream.runDrain(target.list)
} satisfies Record<string, Call>

type Method = keyof typeof calls

const all: ReadonlyArray<Method> = ["check", "write", "describe", "remove", "stat", "read", "list"]

type Fault = keyof MirrorSubject.MirrorSubject["Service"]["broken"]

const faults: ReadonlyArray<readonly [Fault, MirrorTargetError.Reason, ReadonlyArray<Method>]> = [
  ["wrongCredentials", "Denied", all],
  // An object is missing there as well, so that `stat` and `remove` may succeed.
  ["missingBucket", "NotFound", ["check", "write", "describe", "read", "list"]],
  ["closedPort", "Unavailable", all],
  ["privateAddress", "Refused", all]
]

/** Returns all texts that a log, a trace or a response could derive from an error. */
const toTexts = (error: MirrorTargetError.MirrorTargetError): string =>
  [
    String(error),
    error.stack,
    JSON.stringify(error),
    inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null })
  ].join("\n")

export const register = (it: Tester, { timeout }: Settings): void => {
  it.effect.each(faults)(
    "every method: %s → %s, without keys in the error",
    ([fault, reason, methods]) =>
      Effect.gen(function* () {
        const { broken, secrets } = yield* MirrorSubject.MirrorSubject
        for (const method of methods) {
          // Opening may fail as well.
          const error = yield* Effect.flip(Effect.scoped(Effect.flatMap(broken[fault], calls[method])))
          assert.instanceOf(error, MirrorTargetError.MirrorTargetError)
          assert.strictEqual(error.reason, reason, method)
          assert.include([method, "open"], error.operation)
          assert.isFalse(error.isOfObject)
          assert.match(error.detail, /^.{3,500}$/u)
          for (const secret of secrets) assert.notInclude(toTexts(error), secret)
        }
      }),
    timeout
  )
}
