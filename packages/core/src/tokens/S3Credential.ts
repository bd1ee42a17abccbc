/**
 * Credentials of the S3 API: an access key and a secret key, with which programs sign requests on behalf of an API token.
 */
import * as Schema from "effect/Schema"

export const S3Credentials = Schema.Struct({
  accessKeyId: Schema.String.annotate({ description: "The id of the token without its hyphens." }),
  createdAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "S3Credentials" })
export type S3Credentials = typeof S3Credentials.Type

/** The result of creating credentials: the only response that contains the secret key. */
export const CreatedS3Credentials = Schema.Struct({
  ...S3Credentials.fields,
  secretAccessKey: Schema.String.annotate({
    description: "The secret key. Only this response contains it; it cannot be read again."
  })
}).annotate({ identifier: "CreatedS3Credentials" })
export type CreatedS3Credentials = typeof CreatedS3Credentials.Type

/** The secret key of a token as it is stored. */
export interface StoredS3Secret {
  readonly tenantId: string
  /** SHA-256 of the token's API key, hexadecimal. */
  readonly hash: string
  /** The secret key, sealed with the token's id. */
  readonly sealed: string
}

/** Returns the access key of a token. */
export const accessKeyOf = (tokenId: string): string => tokenId.replaceAll("-", "")

/** Returns the id of the token with this access key; undefined for a text that is no access key. */
export const tokenIdOf = (accessKeyId: string): string | undefined => {
  const match = /^tok_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(accessKeyId)
  return match === null ? undefined : `tok_${match.slice(1).join("-")}`
}
