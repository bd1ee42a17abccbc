/**
 * A description as S3 has it.
 */
import type { PutObjectCommandInput } from "@aws-sdk/client-s3"
import type { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import * as Effect from "effect/Effect"
import * as MirrorErrors from "./MirrorErrors.ts"

export type Fields = Pick<
  PutObjectCommandInput,
  "ContentType" | "CacheControl" | "ContentDisposition" | "ContentEncoding" | "ContentLanguage" | "Metadata"
>

/** What a header's value may be made of, so that it arrives as it was signed. */
const printable = /^[\u0020-\u007e]*$/

/** The fields of a request. A field without a text is left out, since S3 keeps none. */
export const of = (
  operation: string,
  { metadata, ...description }: ObjectDescription
): Effect.Effect<Fields, MirrorTargetError> => {
  const headers = {
    ContentType: description.contentType,
    CacheControl: description.cacheControl,
    ContentDisposition: description.contentDisposition,
    ContentEncoding: description.contentEncoding,
    ContentLanguage: description.contentLanguage
  }
  const given = Object.entries(headers).filter(([, value]) => value !== undefined && value !== "")
  const unfit = [...given, ...Object.entries(metadata)].find(([, value]) => !printable.test(value ?? ""))
  return unfit === undefined
    ? Effect.succeed({ ...Object.fromEntries(given), Metadata: { ...metadata } })
    : Effect.fail(MirrorErrors.invalid(operation, `${unfit[0]} has characters other than those of ASCII.`))
}
