/**
 * A mirror as the repository keeps it.
 */
import type * as DateTime from "effect/DateTime"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { Mirror } from "./Mirror.ts"
import type { MirrorState, MirrorStats } from "./MirrorFields.ts"
import * as TargetTypes from "./targets/types/TargetTypes.ts"

/** What keeps a mirror as a whole from working. */
export interface Trouble {
  /** Since when every try has failed. */
  readonly since: DateTime.Utc
  /** Fit for whoever set the mirror up. */
  readonly detail: string
}

export interface StoredMirror extends BucketRef {
  readonly id: string
  readonly name: string
  readonly address: TargetTypes.TargetAddress
  /** Sealed, with the mirror's id as context. */
  readonly secret: string
  /** One more with each change of place or secret. */
  readonly revision: number
  readonly paused: boolean
  /** How often in a row the mirror as a whole has failed. */
  readonly failures: number
  readonly trouble: Trouble | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

const stateOf = ({ paused, trouble }: StoredMirror): MirrorState =>
  paused ? "PAUSED" : trouble === null ? "ACTIVE" : "FAILING"

/** Returns the record that callers see. */
export const toRecord = (mirror: StoredMirror, stats: MirrorStats): Mirror => {
  const { address, bucketId, createdAt, id, name, trouble, updatedAt } = mirror
  const { recordDefaults, wireName } = TargetTypes.ofType(address.type)
  // The address was made from the fields of its type, and the record is those without the secret.
  return {
    id,
    name,
    bucketId,
    state: stateOf(mirror),
    stats: { ...stats, lastError: trouble?.detail ?? stats.lastError },
    createdAt,
    updatedAt,
    ...recordDefaults,
    ...address,
    type: wireName
  } as Mirror
}
