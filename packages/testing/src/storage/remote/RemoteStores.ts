/**
 * Helpers of the suite's tests.
 */
import { assert } from "@effect/vitest"
import type { BlobError } from "@holdfast/core/storage/BlobError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Generate from "../../data/Generate.ts"
import { mebibyte } from "../contract/internal/Blobs.ts"
import { RemoteStoreSubject, type Store } from "./RemoteStoreSubject.ts"

/** Bytes of a part of the stores under test. */
export const partBytes = 8 * mebibyte

/** Opens a store on an empty bucket of its own. */
export const fresh = Effect.flatMap(RemoteStoreSubject, (subject) => subject.fresh)

/** Reads a whole blob. */
export const readAll = (store: Store, key: string) =>
  Effect.map(Stream.runCollect(store.read(key)), (chunks) => Buffer.concat(chunks))

/** Asserts that no method shows a blob. */
export const assertAbsent = (store: Store, key: string) =>
  Effect.gen(function* () {
    assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "NotFound")
    assert.strictEqual((yield* Effect.flip(readAll(store, key))).reason, "NotFound")
    assert.deepStrictEqual(yield* Stream.runCollect(store.list(key)), [])
  })

type Call = (store: Store, key: string) => Effect.Effect<unknown, BlobError>

/** One call of each method that makes requests; `put` also with a content of more than one part. */
export const calls = {
  put: (store, key) => store.put(key, Generate.stream(9, 10)),
  putParts: (store, key) => store.put(key, Generate.stream(9, 9 * mebibyte)),
  read: (store, key) => Stream.runDrain(store.read(key)),
  stat: (store, key) => store.stat(key),
  remove: (store, key) => store.remove(key),
  list: (store) => Stream.runDrain(store.list("")),
  check: (store) => store.check
} satisfies Record<string, Call>

export type CallName = keyof typeof calls

/** The names of all calls. */
export const allCalls: ReadonlyArray<CallName> = ["put", "putParts", "read", "stat", "remove", "list", "check"]

/** Asserts that each of these calls fails, with the operation that it belongs to. Returns the errors. */
export const assertFail = (store: Store, key: string, names: ReadonlyArray<CallName>, reason: BlobError["reason"]) =>
  Effect.gen(function* () {
    const failures = yield* Effect.forEach(names, (name) => Effect.flip(calls[name](store, key)), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(
      failures.map((error) => [error.operation, error.reason]),
      names.map((name) => [name === "putParts" ? "put" : name, reason])
    )
    return failures
  })
