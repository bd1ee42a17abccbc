/**
 * A parser for a form with one file (RFC 7578). What else the form may have, and what its faults are, is up to `Rules`.
 *
 * The parser is synchronous and uses no effects: the caller pushes chunks of the body and takes the file's bytes, which are
 * views of those chunks.
 */
import * as MultipartParser from "effect/http/MultipartParser"
import * as FilePart from "./FilePart.ts"

export interface FormParser<Fault> {
  /** Parses a chunk. Returns the first fault of the form, if any; no more chunks may be pushed after one. */
  readonly push: (chunk: Uint8Array) => Fault | undefined
  /** Ends the form. Returns the first fault, if any: a form without its last boundary is incomplete. */
  readonly end: () => Fault | undefined
  /** The bytes of the file that were parsed since the last call. */
  readonly takeFileBytes: () => ReadonlyArray<Uint8Array>
  /** The description of the part with the file; undefined until its head was parsed. */
  readonly file: () => FilePart.FilePart | undefined
}

/** A kind of form. The functions are called in the order of the parts; `hasFile` is whether a file came before. */
export interface Rules<Fault> {
  readonly maxParts: number
  /** The largest part that is not the file, in bytes. */
  readonly maxField: number
  /** The most bytes of a form besides those of its file: heads of parts, boundaries and other parts. */
  readonly maxOverhead: number
  readonly isFile: (info: MultipartParser.PartInfo) => boolean
  /** Returns the fault of a part that may not be in the form, if it is one. */
  readonly beginPart: (info: MultipartParser.PartInfo, hasFile: boolean) => Fault | undefined
  /** Receives a part that is not the file. Returns its fault, if any. */
  readonly endField: (info: MultipartParser.PartInfo, value: Uint8Array, hasFile: boolean) => Fault | undefined
  readonly toFault: (error: MultipartParser.MultipartError) => Fault
  readonly tooMuchOverhead: Fault
  readonly longBoundary: Fault
  readonly noFile: Fault
}

/** The most characters of a boundary (RFC 2046, section 5.1.1). The search for one takes the time of its length for each byte. */
export const maxBoundary = 70

const longBoundary = new RegExp(
  `;\\s*boundary=(?:"(?:[^"\\\\]|\\\\.){${maxBoundary + 1}}|[^";\\s]{${maxBoundary + 1}})`,
  "i"
)

/** Whether a part is sent in an encoding that would have to be decoded. It is deprecated (RFC 7578, section 4.7). */
export const isEncoded = ({ headers }: MultipartParser.PartInfo): boolean => {
  const encoding = headers["content-transfer-encoding"]
  return encoding !== undefined && !/^(?:7bit|8bit|binary)$/i.test(String(encoding))
}

/** Makes a parser for one form. `contentType` is the `Content-Type` of the request, which contains the boundary. */
export const make = <Fault>(contentType: string, rules: Rules<Fault>): FormParser<Fault> => {
  const { maxOverhead } = rules
  let fileBytes: Array<Uint8Array> = []
  let file: FilePart.FilePart | undefined
  let fault = longBoundary.test(contentType) ? rules.longBoundary : undefined
  let isComplete = false
  let overhead = 0

  const parser = MultipartParser.make({
    headers: { "content-type": contentType },
    maxParts: rules.maxParts,
    maxFieldSize: rules.maxField,
    isFile: (info) => {
      fault ??= rules.beginPart(info, file !== undefined)
      return rules.isFile(info)
    },
    onFile: (info) => {
      file ??= FilePart.fromPartInfo(info)
      return (chunk) => {
        if (chunk !== null) fileBytes.push(chunk)
      }
    },
    onField: (info, value) => {
      fault ??= rules.endField(info, value, file !== undefined)
    },
    onError: (error) => {
      fault ??= rules.toFault(error)
    },
    onDone: () => {
      isComplete = true
      if (file === undefined) fault ??= rules.noFile
    }
  })

  return {
    push: (chunk) => {
      // Bytes after the last boundary are to be ignored (RFC 2046, section 5.1.1).
      if (fault !== undefined || isComplete) return fault
      const before = fileBytes.length
      parser.write(chunk)
      overhead += chunk.length
      for (let i = before; i < fileBytes.length; i++) overhead -= fileBytes[i]?.length ?? 0
      if (overhead > maxOverhead) fault ??= rules.tooMuchOverhead
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
    file: () => file
  }
}
