/**
 * A conversion that a worker has claimed.
 */
import * as Data from "effect/Data"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { Mode } from "../transcoding/ConversionPlan.ts"
import type { Format } from "../transcoding/Presentation.ts"

/**
 * The worker no longer holds the lease: the lease expired and another worker claimed the conversion, the conversion was
 * cancelled, or its content is no longer the current content of a file.
 */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{}> {
  override readonly message = "This worker no longer holds the lease of the conversion."
}

/** A claimed conversion. It identifies the worker's lease in every later call of the repository. */
export interface ConversionClaim extends BucketRef {
  readonly conversionId: string
  readonly fileId: string
  /** The blob of the content to convert. */
  readonly blobId: string
  /** Number of this claim, different for every claim of the conversion. The repository rejects writes with an older one. */
  readonly fencingToken: number
  /**
   * Attempts since the conversion was requested, including this one. Claims that ended with a shutdown or with the death of the
   * worker do not count.
   */
  readonly attempts: number
  /** Claims since the conversion was requested whose lease expired, mostly because the process of the worker died. */
  readonly interruptions: number
  /** Whether the lease of the claim before this one expired. */
  readonly takesOver: boolean
  /** Whether to make the ladder of the conversion, which is a READY copy. */
  readonly isLadder: boolean
  readonly format: Format
  readonly mode: Mode
}
