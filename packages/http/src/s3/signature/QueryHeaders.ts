/**
 * The headers that a presigned URL has in its query. SDKs move the headers `x-amz-…` of a request there, such as the source of a copy and
 * the metadata and tags of an object, so that the client of the URL need not send them.
 */
import { hasControls } from "@holdfast/core/Text"
import * as Result from "effect/Result"
import type { Address } from "../Address.ts"
import * as Checksums from "../payload/Checksums.ts"
import { S3Error } from "../S3Error.ts"

type Headers = Readonly<Record<string, string>>

/** The parameters of the signature itself. */
const ofSignature: ReadonlySet<string> = new Set(
  "algorithm content-sha256 credential date expires security-token signature signedheaders"
    .split(" ")
    .map((name) => `x-amz-${name}`)
)

/**
 * Whether a parameter is a header of the request. A checksum is not: the AWS SDK computes it when it signs the URL, mostly from an empty
 * body.
 */
const isHeader = (name: string): boolean =>
  /^x-amz-[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name) && !ofSignature.has(name) && Checksums.algorithmOf(name) === undefined

const invalid = S3Error.of("InvalidArgument", "A parameter x-amz-… of the presigned URL is not a valid header value.")

/** Returns these headers by lower-case name, with their bytes as Latin-1, as Node has those of the request. */
export const of = ({ query }: Pick<Address, "query">): Result.Result<Headers, S3Error> => {
  const found: Record<string, string> = {}
  for (const [parameter, value] of query) {
    const name = parameter.toLowerCase()
    if (!isHeader(name)) continue
    if (hasControls(value)) return Result.fail(invalid)
    found[name] = Buffer.from(value, "utf8").toString("latin1")
  }
  return Result.succeed(found)
}
