/**
 * The place and the secret that a caller's input tells.
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { InvalidRequest } from "../Errors.ts"
import type { CreateMirror, UpdateMirror } from "./MirrorInput.ts"
import { type TargetAddress, secretField } from "./StoredMirror.ts"

export interface Parts {
  readonly place: TargetAddress
  readonly secret: Redacted.Redacted
}

export const ofInput = (input: CreateMirror): Parts => {
  switch (input.type) {
    case "CLOUD_A":
    case "S3": {
      const { accessKeyId, bucketName, endpoint, forcePathStyle, region, secretAccessKey } = input
      const place = { type: "CLOUD_A", region, bucketName, accessKeyId, endpoint, forcePathStyle } as const
      return { place, secret: secretAccessKey }
    }
    case "CLOUD_B":
    case "AZURE_BLOB": {
      const { accountKey, accountName, containerName, endpoint } = input
      return { place: { type: "CLOUD_B", accountName, containerName, endpoint }, secret: accountKey }
    }
    case "CLOUD_C":
    case "GCS": {
      const { bucketName, credentials, endpoint, projectId } = input
      return { place: { type: "CLOUD_C", projectId, bucketName, endpoint }, secret: credentials }
    }
    case "SERVICE": {
      const { apiKey, serviceBucketId, serviceTenantId, type } = input
      return { place: { type, serviceTenantId, serviceBucketId }, secret: apiKey }
    }
  }
}

/** The parts after a change of credentials, undefined when there is none. Only those of the mirror's own type are taken. */
export const ofChange = (
  place: TargetAddress,
  change: UpdateMirror
): Effect.Effect<Parts | undefined, InvalidRequest> => {
  const own = secretField[place.type]
  const foreign = [...Object.values(secretField), "accessKeyId" as const].find(
    (field) => change[field] !== undefined && field !== own && !(field === "accessKeyId" && place.type === "CLOUD_A")
  )
  if (foreign !== undefined) {
    return Effect.fail(InvalidRequest.at(`/${foreign}`, `is not a field of mirrors of type ${place.type}`))
  }
  const secret = change[own]
  if (secret === undefined) {
    return change.accessKeyId === undefined
      ? Effect.succeed<Parts | undefined>(undefined)
      : Effect.fail(InvalidRequest.at("/secretAccessKey", "is needed with another accessKeyId"))
  }
  return Effect.succeed({
    place: place.type === "CLOUD_A" ? { ...place, accessKeyId: change.accessKeyId ?? place.accessKeyId } : place,
    secret
  })
}
