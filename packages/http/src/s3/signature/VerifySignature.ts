/**
 * Verifies the signature of a request (AWS Signature Version 4).
 */
import * as Result from "effect/Result"
import { hash, timingSafeEqual } from "node:crypto"
import { S3Error } from "../S3Error.ts"
import * as CanonicalRequest from "./CanonicalRequest.ts"
import type { SignatureFields } from "./SignatureFields.ts"
import * as SigningKeys from "./SigningKeys.ts"

/** The request as it arrived. */
export interface SignedRequest {
  readonly method: string
  /** Path and query as the client sent them. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The same with those that a presigned URL has in its query, which some SDKs sign as headers, too. As `headers` when absent. */
  readonly allHeaders?: SignedRequest["headers"]
}

/** What the chunks of a signed body continue from. */
export interface SignatureSeed {
  readonly key: Buffer
  readonly signature: string
  readonly timestamp: string
  readonly scope: string
}

/** By how much the time of a request may differ from that of the server, in milliseconds. */
const maxSkew = 15 * 60 * 1000

const expired = S3Error.of("AccessDenied", "The presigned URL has expired. Create another one.")
const early = S3Error.of(
  "AccessDenied",
  "The presigned URL is not valid yet. Set the clock of the computer that signs."
)

/** Returns the error of a signature that is too old or of the future; undefined for none. */
const findTimeFault = ({ expires, signedAt }: SignatureFields, now: number): S3Error | undefined => {
  if (expires === undefined) {
    return Math.abs(now - signedAt) > maxSkew ? S3Error.of("RequestTimeTooSkewed") : undefined
  }
  if (now > signedAt + expires * 1000) return expired
  return signedAt > now + maxSkew ? early : undefined
}

/** The beginnings of such headers. Those of mirrors make a file a copy, and say which copy to remove. */
const signedPrefixes = ["x-amz-", "x-holdfast-"]

/** Headers that describe the request to S3 must be signed: otherwise a proxy could change what a signed request does. */
const findUnsigned = (
  { expires, signedHeaders }: SignatureFields,
  headers: SignedRequest["headers"]
): string | undefined => {
  const signed = new Set(signedHeaders.split(";"))
  return Object.keys(headers).find(
    (name) =>
      signedPrefixes.some((prefix) => name.startsWith(prefix)) &&
      !signed.has(name) &&
      !(expires !== undefined && name === "x-amz-content-sha256")
  )
}

const matches = (computed: string, stated: string): boolean =>
  timingSafeEqual(Buffer.from(computed, "latin1"), Buffer.from(stated, "latin1"))

/**
 * Verifies a signature. Returns what the chunks of a signed body continue from.
 *
 * @param now Epoch milliseconds.
 */
export const verify = (
  request: SignedRequest,
  fields: SignatureFields,
  {
    deriveKey,
    now,
    secret
  }: { readonly secret: string; readonly now: number; readonly deriveKey: SigningKeys.DeriveKey }
): Result.Result<SignatureSeed, S3Error> => {
  const fault = findTimeFault(fields, now)
  if (fault !== undefined) return Result.fail(fault)
  const { headers, allHeaders = headers, method, url } = request
  const unsigned = findUnsigned(fields, headers)
  if (unsigned !== undefined) {
    return Result.fail(S3Error.of("AccessDenied", `The header ${unsigned} must be signed.`))
  }
  const { date, payloadHash, region, signature, signedHeaders, timestamp } = fields
  const start = url.indexOf("?")
  const rawPath = start < 0 ? url : url.slice(0, start)
  const query = CanonicalRequest.canonicalQuery(start < 0 ? "" : url.slice(start + 1))
  const scope = `${date}/${region}/s3/aws4_request`
  const key = deriveKey(secret, fields)
  const isSigned = (path: string): boolean => {
    const canonical = CanonicalRequest.write({ method, path, query, headers: allHeaders, signedHeaders, payloadHash })
    // Node has the bytes of headers as Latin-1.
    const text = `AWS4-HMAC-SHA256\n${timestamp}\n${scope}\n${hash("sha256", Buffer.from(canonical, "latin1"), "hex")}`
    return matches(SigningKeys.sign(key, text), signature)
  }
  const path = CanonicalRequest.canonicalPath(rawPath)
  // Some clients sign the path in the form in which they send it.
  return isSigned(path) || (path !== rawPath && isSigned(rawPath))
    ? Result.succeed({ key, signature, timestamp, scope })
    : Result.fail(S3Error.of("SignatureDoesNotMatch"))
}
