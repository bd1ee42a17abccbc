/**
 * A parser for the form of an upload from a browser: fields, and then one part `file`.
 */
import * as MultipartParser from "effect/http/MultipartParser"
import * as FormParser from "../../transfer/upload/FormParser.ts"
import { S3Error } from "../S3Error.ts"

const maxParts = 100
/** The most bytes of a form besides those of its file: fields, heads of parts and boundaries. */
export const maxOverhead = 64 * 1024

export interface PostFormParser extends FormParser.FormParser<S3Error> {
  /** The fields before the file, by lower-case name. Those after it are ignored. */
  readonly fields: ReadonlyMap<string, string>
}

const malformed = S3Error.of("MalformedPOSTRequest")
const tooLong = S3Error.of("MaxPostPreDataLengthExceededError")
const longBoundary = S3Error.of(
  "MalformedPOSTRequest",
  `The boundary in the Content-Type has more than ${FormParser.maxBoundary} characters.`
)
const notOneFile = S3Error.of("IncorrectNumberOfFilesInPostRequest")

const isFile = ({ name }: MultipartParser.PartInfo): boolean => name.toLowerCase() === "file"

/** Makes a parser for one form. `contentType` is the `Content-Type` of the request, which contains the boundary. */
export const make = (contentType: string): PostFormParser => {
  const fields = new Map<string, string>()
  const parser = FormParser.make<S3Error>(contentType, {
    maxParts,
    maxField: maxOverhead,
    maxOverhead,
    isFile,
    beginPart: (info, hasFile) => {
      if (info.contentDisposition !== "form-data" || FormParser.isEncoded(info)) return malformed
      return hasFile && isFile(info) ? notOneFile : undefined
    },
    endField: (info, value, hasFile) => {
      if (hasFile) return undefined
      const name = info.name.toLowerCase()
      const isRepeated = fields.has(name)
      fields.set(name, MultipartParser.decodeField(info, value))
      return isRepeated
        ? S3Error.of("MalformedPOSTRequest", `The form has the field ${name} more than once.`)
        : undefined
    },
    toFault: ({ _tag }) => (_tag === "ReachedLimit" ? tooLong : malformed),
    tooMuchOverhead: tooLong,
    longBoundary,
    noFile: notOneFile
  })
  return { ...parser, fields }
}
