/**
 * Fresh buckets of the fake service.
 */
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as GcsBlobStore from "../../src/GcsBlobStore.ts"

let made = 0

/** Options for a bucket that is empty and nobody else's. */
export const options = Effect.gen(function* () {
  const { createBucket, credentials, endpoint } = yield* FakeGcs.FakeGcs
  const bucket = `test-${process.pid}-${made++}`
  yield* createBucket(bucket)
  return { bucket, credentials, endpoint }
})

/** A store in a fresh bucket of a service of its own. */
export const store = Layer.unwrap(Effect.map(options, GcsBlobStore.layer)).pipe(Layer.provide(FakeGcs.layer))
