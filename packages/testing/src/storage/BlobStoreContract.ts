/**
 * The contract suite of the BlobStore port: tests for every documented guarantee. The test file of an adapter contains
 *
 *     BlobStoreContract.suite("my store", MyBlobStore.layer({ ... }))
 */
import { layer as tests } from "@effect/vitest"
import type * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Duration from "effect/Duration"
import type * as Layer from "effect/Layer"
import * as Atomicity from "./contract/internal/Atomicity.ts"
import * as Listing from "./contract/internal/Listing.ts"
import * as Memory from "./contract/internal/Memory.ts"
import * as Reading from "./contract/internal/Reading.ts"
import * as Copies from "./contract/internal/Copies.ts"
import * as Removal from "./contract/internal/Removal.ts"
import * as RoundTrip from "./contract/internal/RoundTrip.ts"
import type * as Settings from "./contract/internal/Settings.ts"

export interface Options {
  /** The bytes of the largest content; 256 MiB when absent. Choose less for a store behind a slow connection. */
  readonly largeBytes?: number
  /** Whether to test that memory is bounded; true when absent. Choose false for a store in the process's memory. */
  readonly boundedMemory?: boolean
  /** The timeout of a test; when absent 60 seconds, and 5 minutes for the largest content. */
  readonly timeout?: Duration.Input
}

/** Registers the suite. All tests share one store. It may contain other blobs already, because the tests use new keys. */
export const suite = <E>(name: string, layer: Layer.Layer<BlobStore.BlobStore, E>, options: Options = {}): void => {
  const timeout = options.timeout === undefined ? undefined : Duration.toMillis(options.timeout)
  const settings: Settings.Settings = {
    largeBytes: options.largeBytes ?? 256 * 1024 * 1024,
    boundedMemory: options.boundedMemory ?? true,
    timeout: timeout ?? 60_000,
    largeTimeout: timeout ?? 300_000
  }
  // Without Effect's test services: stores use real devices, in real time.
  tests(layer, { excludeTestServices: true, timeout: settings.timeout })(name, (it) => {
    RoundTrip.register(it, settings)
    Atomicity.register(it, settings)
    Reading.register(it, settings)
    Removal.register(it, settings)
    Copies.register(it, settings)
    Listing.register(it, settings)
    Memory.register(it, settings)
  })
}
