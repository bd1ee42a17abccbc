/**
 * Stores with a wrong configuration.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inspect } from "node:util"
import * as BlobKeys from "../../../data/BlobKeys.ts"
import * as RemoteStores from "../RemoteStores.ts"
import { RemoteStoreSubject } from "../RemoteStoreSubject.ts"
import type { Settings, Tester } from "./Settings.ts"

/** Registers these tests of the suite. */
export const register = (it: Tester, { misconfiguredCalls, timeout }: Settings): void => {
  it.effect(
    "missing bucket, wrong credentials → Internal, without secrets",
    () =>
      Effect.gen(function* () {
        const { misconfigured, secrets } = yield* RemoteStoreSubject
        for (const opening of yield* misconfigured) {
          const store = yield* opening
          const failures = yield* RemoteStores.assertFail(store, BlobKeys.key(0), misconfiguredCalls, "Internal")
          for (const error of failures) {
            const shown = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }) + JSON.stringify(error)
            for (const secret of secrets) assert.notInclude(shown, secret)
          }
        }
      }),
    timeout
  )
}
