/**
 * The contract of the BlobStore port as tests. An adapter's whole test is
 *
 *     BlobStoreContract.suite("my store", MyBlobStore.layer({ ... }))
 *
 * in a file that vitest runs. Every sentence of the port's documentation has a test here.
 */
import { layer as tests } from "@effect/vitest"
import type * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Duration from "effect/Duration"
import type * as Layer from "effect/Layer"
import * as Atomicity from "./contract/Atomicity.ts"
import * as Listing from "./contract/Listing.ts"
import * as Memory from "./contract/Memory.ts"
import * as Reading from "./contract/Reading.ts"
import * as Removal from "./contract/Removal.ts"
import * as RoundTrip from "./contract/RoundTrip.ts"
import type * as Settings from "./contract/Settings.ts"

export interface Options {
  /** Bytes of the largest content. Default: 256 MiB; less for a store behind a slow line. */
  readonly largeBytes?: number
  /** A store that keeps contents in the process's memory cannot keep the promise about memory. Default: true. */
  readonly boundedMemory?: boolean
  /** For one test. Default: 60 seconds, and 5 minutes for the largest content. */
  readonly timeout?: Duration.Input
}

/**
 * Registers the tests. The layer is built once for all of them, and may already hold blobs of others: the keys are
 * fresh ones.
 */
export const suite = <E>(name: string, layer: Layer.Layer<BlobStore.BlobStore, E>, options: Options = {}): void => {
  const timeout = options.timeout === undefined ? undefined : Duration.toMillis(options.timeout)
  const settings: Settings.Settings = {
    largeBytes: options.largeBytes ?? 256 * 1024 * 1024,
    boundedMemory: options.boundedMemory ?? true,
    timeout: timeout ?? 60_000,
    largeTimeout: timeout ?? 300_000
  }
  // Without the test services: stores work with real devices, in real time.
  tests(layer, { excludeTestServices: true, timeout: settings.timeout })(name, (it) => {
    RoundTrip.register(it, settings)
    Atomicity.register(it, settings)
    Reading.register(it, settings)
    Removal.register(it, settings)
    Listing.register(it, settings)
    Memory.register(it, settings)
  })
}
