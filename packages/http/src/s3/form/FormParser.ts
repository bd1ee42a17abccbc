/**
 * A parser for the form of an upload from a browser (RFC 7578): fields, and then one part `file`. It is synchronous: the caller pushes
 * chunks of the body and takes the file's bytes, which are views of those chunks.
 */
import * as MultipartParser from "effect/http/MultipartParser"
import * as FilePart from "../../transfer/upload/FilePart.ts"
import { S3Error } from "../S3Error.ts"

const maxParts = 100
/** The most bytes of a form besides those of its file: fields, heads of parts and boundaries. */
export const maxOverhead = 64 * 1024

export interface FormParser {
  /** Parses a chunk. Returns the first fault of the form, if any; no more chunks may be pushed after one. */
  readonly push: (chunk: Uint8Array) => S3Error | undefined
  /** Ends the form. Returns the first fault, if any: a form without its last boundary is incomplete. */
  readonly end: () => S3Error | undefined
  /** The bytes of the file that were parsed since the last call. */
  readonly takeFileBytes: () => ReadonlyArray<Uint8Array>
  /** The part `file`; undefined until its head was parsed. */
  readonly file: () => FilePart.FilePart | undefined
  /** The fields before the file, by lower-case name. Those after it are ignored. */
  readonly fields: ReadonlyMap<string, string>
}

const malformed = S3Error.of("MalformedPOSTRequest")
const tooLong = S3Error.of("MaxPostPreDataLengthExceededError")
const notOneFile = S3Error.of("IncorrectNumberOfFilesInPostRequest")

/** Whether a part is sent in an encoding that would have to be decoded. It is deprecated (RFC 7578, section 4.7). */
const isEncoded = ({ headers }: MultipartParser.PartInfo): boolean => {
  const encoding = headers["content-transfer-encoding"]
  return encoding !== undefined && !/^(?:7bit|8bit|binary)$/i.test(String(encoding))
}

/** Makes a parser for one form. `contentType` is the `Content-Type` of the request, which contains the boundary. */
export const make = (contentType: string): FormParser => {
  const fields = new Map<string, string>()
  let fileBytes: Array<Uint8Array> = []
  let file: FilePart.FilePart | undefined
  let fault: S3Error | undefined
  let isComplete = false
  let overhead = 0

  const parser = MultipartParser.make({
    headers: { "content-type": contentType },
    maxParts,
    maxFieldSize: maxOverhead,
    isFile: (info) => {
      if (info.contentDisposition !== "form-data" || isEncoded(info)) fault ??= malformed
      return info.name.toLowerCase() === "file"
    },
    onFile: (info) => {
      if (file !== undefined) fault ??= notOneFile
      file ??= FilePart.fromPartInfo(info)
      return (chunk) => {
        if (chunk !== null) fileBytes.push(chunk)
      }
    },
    onField: (info, value) => {
      if (file !== undefined) return
      const name = info.name.toLowerCase()
      if (fields.has(name)) {
        fault ??= S3Error.of("MalformedPOSTRequest", `The form has the field ${name} more than once.`)
      }
      fields.set(name, MultipartParser.decodeField(info, value))
    },
    onError: ({ _tag }) => {
      fault ??= _tag === "ReachedLimit" ? tooLong : malformed
    },
    onDone: () => {
      isComplete = true
      if (file === undefined) fault ??= notOneFile
    }
  })

  return {
    push: (chunk) => {
      // Bytes after the last boundary are to be ignored (RFC 2046, section 5.1.1).
      if (fault !== undefined || isComplete) return fault
      const before = fileBytes.length
      parser.write(chunk)
      overhead += chunk.length
      for (let at = before; at < fileBytes.length; at++) overhead -= fileBytes[at]?.length ?? 0
      if (overhead > maxOverhead) fault ??= tooLong
      return fault
    },
    end: () => {
      if (fault === undefined && !isComplete) parser.end()
      return fault
    },
    takeFileBytes: () => {
      const taken = fileBytes
      fileBytes = []
      return taken
    },
    file: () => file,
    fields
  }
}
