/**
 * A mirror as the repository keeps it.
 */
import type * as DateTime from "effect/DateTime"
import type * as Redacted from "effect/Redacted"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { Mirror, MirrorState, MirrorStats } from "./Mirror.ts"
import type { AzureLocation, GcsLocation, S3Location, TargetLocation } from "./targets/TargetLocation.ts"

/** A bucket of another tenant of this deployment. */
export interface TenantBucketLocation {
  readonly type: "SERVICE"
  readonly serviceTenantId: string
  readonly serviceBucketId: string
  readonly apiKey: Redacted.Redacted
}

export type MirrorLocation = TargetLocation | TenantBucketLocation

/** A location without the secret that opens it. */
export type TargetAddress =
  | Omit<S3Location, "secretAccessKey">
  | Omit<AzureLocation, "accountKey">
  | Omit<GcsLocation, "credentials">
  | Omit<TenantBucketLocation, "apiKey">

/** The one secret of each type of location. */
export const secretField = {
  CLOUD_A: "secretAccessKey",
  CLOUD_B: "accountKey",
  CLOUD_C: "credentials",
  SERVICE: "apiKey"
} as const satisfies Record<MirrorLocation["type"], string>

/** A location from its parts. */
export const locationOf = (place: TargetAddress, secret: Redacted.Redacted): MirrorLocation => {
  switch (place.type) {
    case "CLOUD_A":
      return { ...place, secretAccessKey: secret }
    case "CLOUD_B":
      return { ...place, accountKey: secret }
    case "CLOUD_C":
      return { ...place, credentials: secret }
    case "SERVICE":
      return { ...place, apiKey: secret }
  }
}

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
  readonly place: TargetAddress
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

/** The record that callers see. */
export const toRecord = (mirror: StoredMirror, stats: MirrorStats): Mirror => {
  const { bucketId, createdAt, id, name, place, trouble, updatedAt } = mirror
  const common = {
    id,
    name,
    bucketId,
    state: stateOf(mirror),
    stats: { ...stats, lastError: trouble?.detail ?? stats.lastError },
    createdAt,
    updatedAt
  }
  switch (place.type) {
    case "CLOUD_A": {
      const { accessKeyId, bucketName, endpoint = null, forcePathStyle = false, region, type } = place
      return { ...common, type, region, bucketName, accessKeyId, endpoint, forcePathStyle }
    }
    case "CLOUD_B": {
      const { accountName, containerName, endpoint = null, type } = place
      return { ...common, type, accountName, containerName, endpoint }
    }
    case "CLOUD_C": {
      const { bucketName, endpoint = null, projectId, type } = place
      return { ...common, type, projectId, bucketName, endpoint }
    }
    case "SERVICE": {
      const { serviceBucketId, serviceTenantId, type } = place
      return { ...common, type, serviceTenantId, serviceBucketId }
    }
  }
}
