/**
 * An object's description in the fields of S3's requests.
 */
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import * as Effect from "effect/Effect"
import * as S3Failure from "../S3Failure.ts"
import type { Fields } from "../uploads/Upload.ts"

/** The characters of a header's value that arrive as they were signed. */
const printable = /^[\u0020-\u007e]*$/

/** Returns the fields of a request. Leaves out empty headers, since S3 does not store them. */
export const toFields = ({
  metadata,
  ...description
}: ObjectDescription): Effect.Effect<Fields, S3Failure.S3Failure> => {
  const headers = {
    ContentType: description.contentType,
    CacheControl: description.cacheControl,
    ContentDisposition: description.contentDisposition,
    ContentEncoding: description.contentEncoding,
    ContentLanguage: description.contentLanguage
  }
  const given = Object.entries(headers).filter(([, value]) => value !== undefined && value !== "")
  const invalid = [...given, ...Object.entries(metadata)].find(([, value]) => !printable.test(value ?? ""))
  return invalid === undefined
    ? Effect.succeed({ ...Object.fromEntries(given), Metadata: { ...metadata } })
    : Effect.fail(S3Failure.make("Invalid", `S3 takes only printable ASCII characters in ${invalid[0]}.`))
}
