/**
 * What a client states about the signature of its request: in the header `Authorization`, or in the query of a presigned URL.
 */
import * as Result from "effect/Result"
import type { Address } from "../Address.ts"
import { S3Error } from "../S3Error.ts"

export interface SignatureFields {
  readonly accessKey: string
  /** The day of the credential, such as `20261123`. */
  readonly date: string
  readonly region: string
  /** The time of the signature, such as `20261123T043000Z`. */
  readonly timestamp: string
  /** The same in epoch milliseconds. */
  readonly signedAt: number
  /** Joined with `;`. */
  readonly signedHeaders: string
  /** Hexadecimal. */
  readonly signature: string
  readonly payloadHash: string
  /** For how many seconds a presigned URL is valid; undefined for a header. */
  readonly expires: number | undefined
}

type Headers = Readonly<Record<string, string | undefined>>
type Found = Result.Result<SignatureFields, S3Error>

export const algorithm = "AWS4-HMAC-SHA256"

/** The message of Amazon S3 for signatures of version 2. s3cmd compares it, to go back to version 4 after it has tried version 2. */
const otherMechanism = `The authorization mechanism you have provided is not supported. Please use ${algorithm}.`

const presignedByVersion2 =
  "The presigned URL has a signature of version 2. Set the signature version of the client that makes such URLs to s3v4."

/** The longest validity of a presigned URL in seconds: a week. */
const maxExpires = 604_800

/** The most signed headers. Each costs a look-up. */
const maxSignedHeaders = 100

const fail = (...error: Parameters<typeof S3Error.of>): Found => Result.fail(S3Error.of(...error))

/** Returns the epoch milliseconds of a time such as `20261123T043000Z`; undefined for another text. */
const parseTimestamp = (text: string): number | undefined => {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second] = match
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(time) ? undefined : time
}

/** Returns the same form of the time of a header `Date`; undefined for another text. */
const fromDate = (text: string): string | undefined => {
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`
}

interface Stated {
  readonly credential: string
  readonly signedHeaders: string
  readonly signature: string
  readonly timestamp: string
  readonly payloadHash: string
  readonly expires: number | undefined
}

type Malformed = "AuthorizationHeaderMalformed" | "AuthorizationQueryParametersError" | "InvalidArgument"

/** Returns the parts of a credential such as `KEY/20261123/eu-1/s3/aws4_request`, for a signature of this time. */
export const parseCredential = (
  credential: string,
  timestamp: string,
  malformed: Malformed
): Result.Result<Pick<SignatureFields, "accessKey" | "date" | "region" | "signedAt">, S3Error> => {
  const parts = credential.split("/")
  const [date = "", region = "", service, end] = parts.slice(-4)
  const accessKey = parts.slice(0, -4).join("/")
  if (parts.length < 5 || service !== "s3" || end !== "aws4_request" || !/^\d{8}$/.test(date)) {
    return Result.fail(S3Error.of(malformed, "The credential must be ACCESS_KEY/DATE/REGION/s3/aws4_request."))
  }
  const signedAt = parseTimestamp(timestamp)
  if (signedAt === undefined) {
    return Result.fail(S3Error.of("AccessDenied", "The request must have a valid X-Amz-Date or Date."))
  }
  return timestamp.startsWith(date)
    ? Result.succeed({ accessKey, date, region, signedAt })
    : Result.fail(S3Error.of(malformed, "The day of the credential is not that of the time of the request."))
}

const check = (stated: Stated, malformed: Malformed): Found => {
  const credential = parseCredential(stated.credential, stated.timestamp, malformed)
  if (Result.isFailure(credential)) return Result.fail(credential.failure)
  const names = stated.signedHeaders.split(";")
  if (names.length > maxSignedHeaders || !names.includes("host")) {
    return fail(malformed, "The signed headers must include the header host.")
  }
  if (!/^[0-9a-f]{64}$/.test(stated.signature)) return fail("SignatureDoesNotMatch")
  const { expires, payloadHash, signature, signedHeaders, timestamp } = stated
  return Result.succeed({ ...credential.success, timestamp, signedHeaders, signature, payloadHash, expires })
}

const fromHeader = (authorization: string, headers: Headers): Found => {
  if (!authorization.startsWith(`${algorithm} `)) {
    return fail("InvalidRequest", otherMechanism)
  }
  const fields = new Map<string, string>()
  for (const field of authorization.slice(algorithm.length).split(",")) {
    const at = field.indexOf("=")
    if (at > 0) fields.set(field.slice(0, at).trim(), field.slice(at + 1).trim())
  }
  const [credential, signedHeaders, signature] = [
    fields.get("Credential"),
    fields.get("SignedHeaders"),
    fields.get("Signature")
  ]
  if (credential === undefined || signedHeaders === undefined || signature === undefined) {
    return fail("AuthorizationHeaderMalformed", "The header needs Credential, SignedHeaders and Signature.")
  }
  const payloadHash = headers["x-amz-content-sha256"]
  if (payloadHash === undefined) return fail("InvalidRequest", "The header x-amz-content-sha256 is missing.")
  const timestamp = headers["x-amz-date"] ?? fromDate(headers["date"] ?? "") ?? ""
  return check(
    { credential, signedHeaders, signature, timestamp, payloadHash, expires: undefined },
    "AuthorizationHeaderMalformed"
  )
}

const fromQuery = (query: Address["query"], headers: Headers): Found => {
  const malformed = "AuthorizationQueryParametersError"
  const get = (name: string) => query.get(`X-Amz-${name}`) ?? ""
  if (get("Algorithm") !== algorithm) return fail(malformed, `X-Amz-Algorithm must be ${algorithm}.`)
  const expires = get("Expires")
  if (!/^\d{1,7}$/.test(expires) || Number(expires) < 1 || Number(expires) > maxExpires) {
    return fail("AccessDenied", `X-Amz-Expires must be a number of seconds from 1 to ${maxExpires}.`)
  }
  return check(
    {
      credential: get("Credential"),
      signedHeaders: get("SignedHeaders"),
      signature: get("Signature"),
      timestamp: get("Date"),
      payloadHash: query.get("X-Amz-Content-Sha256") ?? headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD",
      expires: Number(expires)
    },
    malformed
  )
}

/** The error of a request that states nothing about a signature. */
export const unsigned = S3Error.of(
  "AccessDenied",
  "The request is not signed. Sign it with S3 credentials of an API token."
)

/** Returns what a request states about its signature. Fails for a request without one. */
export const find = ({ query }: Pick<Address, "query">, headers: Headers): Found => {
  const { authorization } = headers
  const isPresigned = query.has("X-Amz-Algorithm") || query.has("X-Amz-Signature")
  if (authorization !== undefined) {
    return isPresigned
      ? fail("InvalidArgument", "Only one way of authentication is permitted: the header or the query.")
      : fromHeader(authorization, headers)
  }
  if (isPresigned) return fromQuery(query, headers)
  return query.has("AWSAccessKeyId")
    ? fail("InvalidRequest", `${otherMechanism} ${presignedByVersion2}`)
    : Result.fail(unsigned)
}
