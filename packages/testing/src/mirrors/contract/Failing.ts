/**
 * A target that cannot work says why, and never with its keys.
 */
import { assert } from "@effect/vitest"
import type { MirrorTarget } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as MirrorTargetError from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import * as Generate from "../../data/Generate.ts"
import * as MirrorSubject from "../MirrorSubject.ts"
import * as Objects from "./Objects.ts"
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
  list: (target) => Stream.runDrain(target.list)
} satisfies Record<string, Call>

type Method = keyof typeof calls

const all: ReadonlyArray<Method> = ["check", "write", "describe", "remove", "stat", "list"]

type Fault = keyof MirrorSubject.MirrorSubject["Service"]["broken"]

const faults: ReadonlyArray<readonly [Fault, MirrorTargetError.Reason, ReadonlyArray<Method>]> = [
  ["wrongCredentials", "Denied", all],
  // An object is missing there, and so it may be asked for and removed.
  ["missingBucket", "NotFound", ["check", "write", "describe", "list"]],
  ["closedPort", "Unavailable", all],
  ["privateAddress", "Refused", all]
]

/** All that a log, a trace or an answer could make of an error. */
const written = (error: MirrorTargetError.MirrorTargetError): string =>
  [
    String(error),
    error.stack,
    JSON.stringify(error),
    inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null })
  ].join("\n")

export const register = (it: Tester, { timeout }: Settings): void => {
  it.effect.each(faults)(
    "tells %s as %s",
    ([fault, reason, methods]) =>
      Effect.gen(function* () {
        const { broken, secrets } = yield* MirrorSubject.MirrorSubject
        for (const method of methods) {
          // What cannot work may be told when it is opened.
          const error = yield* Effect.flip(Effect.scoped(Effect.flatMap(broken[fault], calls[method])))
          assert.instanceOf(error, MirrorTargetError.MirrorTargetError)
          assert.strictEqual(error.reason, reason, method)
          assert.include([method, "open"], error.operation)
          assert.isFalse(error.isOfObject)
          assert.match(error.detail, /^.{3,500}$/u)
          for (const secret of secrets) assert.notInclude(written(error), secret)
        }
      }),
    timeout
  )
}
