/**
 * A mirror as the repositories store it.
 */
import type * as DateTime from "effect/DateTime"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { CreatedBy } from "../access/Creator.ts"
import type { TargetAddress } from "./targets/types/TargetTypes.ts"

/** Why a mirror as a whole fails: its target refuses or does not respond. */
interface MirrorFailure {
  /** Every attempt since then has failed. */
  readonly since: DateTime.Utc
  /** The last error, for the user who created the mirror. */
  readonly detail: string
}

export interface StoredMirror extends BucketRef {
  readonly id: string
  readonly name: string
  readonly address: TargetAddress
  /** The target's secret, sealed with the mirror's id as context. */
  readonly secret: string
  /** Increases by one with each change of address or secret. */
  readonly revision: number
  readonly paused: boolean
  /** Consecutive failures of the mirror as a whole. */
  readonly failures: number
  /** Null while the mirror works. */
  readonly failure: MirrorFailure | null
  readonly createdBy: CreatedBy
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}
