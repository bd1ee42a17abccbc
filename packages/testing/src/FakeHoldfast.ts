/**
 * A Holdfast in memory for the tests of an application, whose store fails when the test says so.
 */
import { type ActorHandle, type BlobError, type BucketRef, type Holdfast, open, type OpenOptions } from "@holdfast/core"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryMetadata from "./metadata/MemoryMetadata.ts"
import * as BlobFaults from "./storage/BlobFaults.ts"
import * as FaultyBlobStore from "./storage/FaultyBlobStore.ts"
import * as MemoryBlobStore from "./storage/MemoryBlobStore.ts"

/** What fails, and how. */
export interface StoreFailure {
  /** The method of the store: uploads call `put`, downloads `read`. */
  readonly method: BlobFaults.Method
  /** What the store reports. `StorageFull` becomes the code `storage_full`, `Unavailable` becomes `unavailable`. */
  readonly reason: BlobError["reason"]
  /** How many calls succeed before the first one fails. Default: 0. */
  readonly after?: number | undefined
  /** How many calls fail. Default: all. */
  readonly times?: number | undefined
}

export interface FakeHoldfast extends AsyncDisposable {
  /** The open Holdfast. */
  readonly holdfast: Holdfast
  /** The Admin of the tenant. */
  readonly owner: ActorHandle
  /** An empty bucket of the tenant. */
  readonly bucket: BucketRef
  /** Makes later calls of the store fail. Failures add up. */
  readonly failStore: (failure: StoreFailure) => void
  /** Ends all failures of the store. */
  readonly repairStore: () => void
  /** Closes the Holdfast; everything in it is gone. */
  readonly close: () => Promise<void>
}

/**
 * Opens a Holdfast in memory, with a tenant, its Admin and an empty bucket. It behaves as one on a database and a disk does, because
 * it runs the same code. It does not sweep unless the options say so.
 *
 * @example
 * await using fake = await fakeHoldfast()
 * await fake.holdfast.files.upload(fake.owner, { ...fake.bucket, name: "a.txt", content: "text" })
 */
export const fakeHoldfast = async (options: Omit<OpenOptions, "metadata" | "blobs"> = {}): Promise<FakeHoldfast> => {
  const { faults, store } = FaultyBlobStore.make(await Effect.runPromise(MemoryBlobStore.make))
  const holdfast = await open({
    sweepEvery: false,
    ...options,
    metadata: { metadata: MemoryMetadata.layer },
    blobs: { blobs: Layer.succeed(BlobStore, store) }
  })
  const owner = holdfast.account("owner@example.com")
  const { id: tenantId } = await holdfast.tenants.create(owner, { name: "Test", subdomain: "test" })
  const { id: bucketId } = await holdfast.buckets.create(owner, { tenantId, name: "test" })
  const close = () => holdfast.close()
  return {
    holdfast,
    owner,
    bucket: { tenantId, bucketId },
    failStore: ({ after = 0, method, reason, times = Number.POSITIVE_INFINITY }) =>
      Effect.runSync(
        faults.inject({
          method,
          action: BlobFaults.fail(reason),
          calls: (nth) => nth > after && nth <= after + times
        })
      ),
    repairStore: () => Effect.runSync(faults.clear),
    close,
    [Symbol.asyncDispose]: close
  }
}
