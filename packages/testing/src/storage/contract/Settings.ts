/**
 * What the parts of the contract's suite share.
 */
import type { Vitest } from "@effect/vitest"
import type * as BlobStore from "@holdfast/core/storage/BlobStore"

export interface Settings {
  readonly largeBytes: number
  readonly boundedMemory: boolean
  /** Milliseconds. */
  readonly timeout: number
  /** Milliseconds, for the largest content. */
  readonly largeTimeout: number
}

/** Registers tests that have the store under test as their service. */
export type Tester = Vitest.MethodsNonLive<BlobStore.BlobStore>
