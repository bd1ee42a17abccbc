/**
 * The settings and types that the parts of the contract suite share.
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

/** Registers tests that require the store. */
export type Tester = Vitest.MethodsNonLive<BlobStore.BlobStore>
