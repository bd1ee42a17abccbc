/**
 * The form of a direct upload (RFC 7578), read as it comes: one part `file`, and at most one part `body` of JSON text,
 * in either order. Parts of other names are passed over while they are small. It knows no effects: chunks go in, and
 * the file's bytes come out, as views of those chunks.
 */
import type { Fault } from "@holdfast/core/Errors"
import * as MultipartParser from "effect/http/MultipartParser"
import * as FilePart from "./FilePart.ts"

/** The most bytes of the part `body`, and of any part that is passed over. */
const maxField = 64 * 1024
const maxParts = 32
/** The most bytes beside those of the file. */
export const maxOverhead = 256 * 1024

export interface UploadFormParser {
  /** Takes a chunk in. What is wrong with the form, once something is: nothing more is to be pushed then. */
  readonly push: (chunk: Uint8Array) => Fault | undefined
  /** No more chunks come. */
  readonly end: () => Fault | undefined
  /** The bytes of the file since the last call. */
  readonly takeFileBytes: () => ReadonlyArray<Uint8Array>
  /** The head of the part `file`, once it has come. */
  readonly file: () => FilePart.FilePart | undefined
  /** The value of the part `body`, once it has come. */
  readonly body: () => { readonly value: unknown } | undefined
}

const ofForm = (detail: string): Fault => ({ pointer: "", detail })
const ofPart = (name: string, detail: string): Fault => ({
  pointer: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
  detail
})

const faultOf = (error: MultipartParser.MultipartError, part: string): Fault => {
  switch (error._tag) {
    case "InvalidBoundary":
      return ofForm("the Content-Type must have a boundary")
    case "BadHeaders":
      return ofForm("the form has a part with malformed headers")
    case "InvalidDisposition":
      return ofForm("the form has a part with a malformed Content-Disposition")
    case "EndNotReached":
      return ofForm("the form ends before its last boundary")
    case "ReachedLimit":
      return error.limit === "MaxParts"
        ? ofForm(`the form must have at most ${maxParts} parts`)
        : ofPart(part, `must be at most ${maxField} bytes`)
  }
}

const decodeJson = (bytes: Uint8Array): { readonly value: unknown } | undefined => {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    return { value }
  } catch {
    return undefined
  }
}

/** A reader for one form, whose boundary the `Content-Type` of the request tells. */
export const make = (contentType: string): UploadFormParser => {
  let data: Array<Uint8Array> = []
  let file: FilePart.FilePart | undefined
  let body: { readonly value: unknown } | undefined
  let fault: Fault | undefined
  let isComplete = false
  let part = ""
  let envelope = 0
  const seen = new Set<string>()

  const begin = (info: MultipartParser.PartInfo): void => {
    part = info.name
    const encoding = info.headers["content-transfer-encoding"]
    if (info.contentDisposition !== "form-data") fault ??= ofForm("the form has a part that is no form-data")
    // RFC 7578, section 4.7: it was for channels of seven bits, and would have to be undone.
    else if (encoding !== undefined && !/^(?:7bit|8bit|binary)$/i.test(String(encoding))) {
      fault ??= ofPart(part, "must not have a Content-Transfer-Encoding")
    } else if ((part === "file" || part === "body") && seen.has(part)) fault ??= ofPart(part, "must be given once")
    seen.add(part)
  }

  const parser = MultipartParser.make({
    headers: { "content-type": contentType },
    maxParts,
    maxFieldSize: maxField,
    isFile: (info) => {
      begin(info)
      return info.name === "file"
    },
    onFile: (info) => {
      file ??= FilePart.fromPartInfo(info)
      return (chunk) => {
        if (chunk !== null) data.push(chunk)
      }
    },
    onField: (info, value) => {
      if (info.name !== "body") return
      body = decodeJson(value)
      if (body === undefined) fault ??= ofPart("body", "must be JSON")
    },
    onError: (error) => {
      fault ??= faultOf(error, part)
    },
    onDone: () => {
      isComplete = true
      if (file === undefined) fault ??= ofPart("file", "is required")
    }
  })

  return {
    push: (chunk) => {
      // What follows the last boundary means nothing (RFC 2046, section 5.1.1).
      if (fault !== undefined || isComplete) return fault
      const before = data.length
      parser.write(chunk)
      envelope += chunk.length
      for (let i = before; i < data.length; i++) envelope -= data[i]?.length ?? 0
      if (envelope > maxOverhead) fault ??= ofForm("the form has too much beside the file")
      return fault
    },
    end: () => {
      if (fault === undefined && !isComplete) parser.end()
      return fault
    },
    takeFileBytes: () => {
      const taken = data
      data = []
      return taken
    },
    file: () => file,
    body: () => body
  }
}
