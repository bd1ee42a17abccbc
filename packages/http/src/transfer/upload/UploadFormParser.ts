/**
 * A parser for the form of an upload (RFC 7578): one part `file`, and at most one part `body` of JSON text, in either order.
 * Small fields of other names are ignored; another file is refused.
 *
 * The parser is synchronous and uses no effects: the caller pushes chunks of the body and takes the file's bytes, which are
 * views of those chunks.
 */
import type { Fault } from "@holdfast/core/Errors"
import * as MultipartParser from "effect/http/MultipartParser"
import * as JsonText from "../request/JsonText.ts"
import * as FilePart from "./FilePart.ts"

/** The largest part `body`, and the largest ignored part, in bytes. */
const maxField = 64 * 1024
const maxParts = 32
/** The most bytes of a form besides those of its file: heads of parts, boundaries and other parts. */
export const maxOverhead = 256 * 1024

export interface UploadFormParser {
  /** Parses a chunk. Returns the first fault of the form, if any; no more chunks may be pushed after one. */
  readonly push: (chunk: Uint8Array) => Fault | undefined
  /** Ends the form. Returns the first fault, if any: a form without its last boundary is incomplete. */
  readonly end: () => Fault | undefined
  /** The bytes of the file that were parsed since the last call. */
  readonly takeFileBytes: () => ReadonlyArray<Uint8Array>
  /** The description of the part `file`; undefined until its head was parsed. */
  readonly file: () => FilePart.FilePart | undefined
  /** The value of the part `body`; undefined until the part was parsed. */
  readonly body: () => { readonly value: unknown } | undefined
  /** The same if the part precedes the part `file`; undefined otherwise, however the form is cut into chunks. */
  readonly bodyBeforeFile: () => { readonly value: unknown } | undefined
}

const formFault = (detail: string): Fault => ({ pointer: "", detail })
const partFault = (name: string, detail: string): Fault => ({
  pointer: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
  detail
})

const expectedParts =
  "the form has the content in the part file, and may have its description, as JSON, in the part body"

const toFault = (error: MultipartParser.MultipartError, part: string): Fault => {
  switch (error._tag) {
    case "InvalidBoundary":
      return formFault("the Content-Type must have a boundary parameter")
    case "BadHeaders":
      return formFault("the form has a part with malformed headers")
    case "InvalidDisposition":
      return formFault("the form has a part with a malformed Content-Disposition")
    case "EndNotReached":
      return formFault("the form must end with its last boundary")
    case "ReachedLimit":
      return error.limit === "MaxParts"
        ? formFault(`the form must have at most ${maxParts} parts`)
        : partFault(part, `must be at most ${maxField} bytes`)
  }
}

/** A parser for one form. `contentType` is the `Content-Type` of the request, which contains the boundary. */
export const make = (contentType: string): UploadFormParser => {
  let fileBytes: Array<Uint8Array> = []
  let file: FilePart.FilePart | undefined
  let body: { readonly value: unknown } | undefined
  let bodyBeforeFile: typeof body
  let fault: Fault | undefined
  let isComplete = false
  let part = ""
  let overhead = 0
  const seen = new Set<string>()

  const beginPart = (info: MultipartParser.PartInfo): void => {
    part = info.name
    const encoding = info.headers["content-transfer-encoding"]
    if (info.contentDisposition !== "form-data")
      fault ??= formFault("every part of the form must have a Content-Disposition of form-data")
    // Deprecated (RFC 7578, section 4.7). Any encoding but these three would have to be decoded.
    else if (encoding !== undefined && !/^(?:7bit|8bit|binary)$/i.test(String(encoding))) {
      fault ??= partFault(part, "must not have a Content-Transfer-Encoding other than 7bit, 8bit or binary")
    } else if ((part === "file" || part === "body") && seen.has(part)) fault ??= partFault(part, "must occur only once")
    // Ignoring it would lose a file that the client believes to be stored. Browsers send an unused file input with an empty name.
    else if (part !== "file" && part !== "body" && info.filename) {
      fault ??= partFault(part, `must not have a file: ${expectedParts}`)
    }
    seen.add(part)
  }

  const parser = MultipartParser.make({
    headers: { "content-type": contentType },
    maxParts,
    maxFieldSize: maxField,
    isFile: (info) => {
      beginPart(info)
      return info.name === "file"
    },
    onFile: (info) => {
      file ??= FilePart.fromPartInfo(info)
      bodyBeforeFile = body
      return (chunk) => {
        if (chunk !== null) fileBytes.push(chunk)
      }
    },
    onField: (info, value) => {
      if (info.name !== "body") return
      const parsed = JsonText.parse(value)
      if ("value" in parsed) body = parsed
      else fault ??= partFault("body", parsed.fault)
    },
    onError: (error) => {
      fault ??= toFault(error, part)
    },
    onDone: () => {
      isComplete = true
      if (file === undefined) fault ??= partFault("file", `is required: ${expectedParts}`)
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
      if (overhead > maxOverhead)
        fault ??= formFault(`the form must have at most ${maxOverhead} bytes besides those of the file`)
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
    body: () => body,
    bodyBeforeFile: () => bodyBeforeFile
  }
}
