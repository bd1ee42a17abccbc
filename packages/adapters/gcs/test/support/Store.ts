/**
 * Stores in fresh buckets of the fake service.
 */
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Generate from "@holdfast/testing/data/Generate"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import { type OpenOptions, RemoteStoreSubject } from "@holdfast/testing/storage/remote/RemoteStoreSubject"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as GcsBlobStore from "../../src/GcsBlobStore.ts"

let buckets = 0

/** Makes an empty bucket. Returns the options of a store in it. */
export const makeBucket = Effect.gen(function* () {
  const { createBucket, credentials, endpoint } = yield* FakeGcs.FakeGcs
  const bucket = `test-${process.pid}-${buckets++}`
  yield* createBucket(bucket)
  return { bucket, credentials, endpoint }
})

/** A store in a fresh bucket of its own service. */
export const layer = Layer.unwrap(Effect.map(makeBucket, GcsBlobStore.layer)).pipe(Layer.provide(FakeGcs.layer))

/** Opens a store in a fresh bucket. */
export const open = Effect.gen(function* () {
  const fake = yield* FakeGcs.FakeGcs
  const options = yield* makeBucket
  const store = yield* GcsBlobStore.make(options)
  return { options, fake, store }
})

/** The subject of the suite of remote stores. */
export const subject = Layer.effect(
  RemoteStoreSubject,
  Effect.gen(function* () {
    const fake = yield* FakeGcs.FakeGcs
    return RemoteStoreSubject.of({
      fresh: Effect.map(open, ({ options, store }) => ({
        store,
        endpoint: options.endpoint,
        open: (other: OpenOptions) => GcsBlobStore.make({ ...options, ...other }),
        // A name that is no key after the folder, since this store has another prefix.
        putForeignObject: (folder: string) =>
          Effect.flatMap(GcsBlobStore.make({ ...options, prefix: `${folder}notes/` }), (other) =>
            Effect.asVoid(other.put(BlobKeys.key(1), Generate.stream(6, 10)))
          ),
        hasObject: (name: string) =>
          Effect.map(fake.findObject(options.bucket, name), (object) => object !== undefined),
        pendingUploads: fake.pendingUploads(options.bucket)
      })).pipe(Effect.provideService(FakeGcs.FakeGcs, fake)),
      misconfigured: Effect.map(makeBucket, (options) => [
        GcsBlobStore.make({ ...options, bucket: "missing" }),
        GcsBlobStore.make({ ...options, credentials: fake.unprivilegedCredentials })
      ]).pipe(Effect.provideService(FakeGcs.FakeGcs, fake)),
      secrets: [],
      stop: fake.stop,
      start: fake.start
    })
  })
).pipe(Layer.provide(FakeGcs.layer))
