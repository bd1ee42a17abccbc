/**
 * The form of a direct upload, read as it comes: one part `file`, and at most one part `body` of JSON text, in either
 * order. Parts of other names are passed over while they are small. It knows no effects: chunks go in, and what is to
 * be done with them comes out.
 */
import { type Fault } from "@holdfast/core/Errors"
import * as MultipartScanner from "./MultipartScanner.ts"
import * as PartHead from "./PartHead.ts"

/** The most bytes of the part `body`, and of any part that is passed over. */
export const maxField = 64 * 1024
/** The most parts of one form. */
const maxParts = 32
/** The most bytes beside those of the file. */
export const maxEnvelope = 256 * 1024

export interface UploadForm {
  /** Takes a chunk in. What is wrong with the form, once something is: nothing more is to be pushed then. */
  readonly push: (chunk: Uint8Array) => Fault | undefined
  /** The bytes of the file since the last call. */
  readonly take: () => ReadonlyArray<Uint8Array>
  /** The head of the part `file`, once it has come. */
  readonly file: () => PartHead.PartHead | undefined
  /** The value of the part `body`, once it has come. */
  readonly body: () => { readonly value: unknown } | undefined
  /** Whether the last delimiter has come. */
  readonly isComplete: () => boolean
}

const decodeJson = (bytes: Uint8Array): { readonly value: unknown } | undefined => {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    return { value }
  } catch {
    return undefined
  }
}

const pointerTo = (field: string): string => `/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`

export const make = (boundary: string): UploadForm => {
  const scanner = MultipartScanner.make(boundary)
  let data: Array<Uint8Array> = []
  let file: PartHead.PartHead | undefined
  let body: { readonly value: unknown } | undefined
  let isComplete = false
  let parts = 0
  let envelope = 0
  /** The part that comes at the moment, and its bytes unless it is the file. */
  let name = ""
  let field: Array<Uint8Array> = []
  let fieldLength = 0

  const begin = (bytes: Uint8Array): Fault | undefined => {
    const head = PartHead.parse(bytes)
    if (typeof head === "string") return { pointer: "", detail: head }
    if (++parts > maxParts) return { pointer: "", detail: `has more than ${maxParts} parts` }
    name = head.name
    field = []
    fieldLength = 0
    if (name !== "file" && name !== "body") return undefined
    if (name === "file" ? file !== undefined : body !== undefined) {
      return { pointer: pointerTo(name), detail: "must be given once" }
    }
    if (name === "file") file = head
    return undefined
  }

  const receive = (bytes: Uint8Array): Fault | undefined => {
    if (name === "file") {
      data.push(bytes)
      return undefined
    }
    fieldLength += bytes.length
    if (fieldLength > maxField) return { pointer: pointerTo(name), detail: `must be at most ${maxField} bytes` }
    if (name === "body") field.push(bytes)
    return undefined
  }

  const end = (): Fault | undefined => {
    if (name !== "body") return undefined
    body = decodeJson(Buffer.concat(field))
    return body === undefined ? { pointer: "/body", detail: "must be JSON" } : undefined
  }

  const handle = (event: MultipartScanner.Event): Fault | undefined => {
    switch (event._tag) {
      case "Head":
        return begin(event.bytes)
      case "Data":
        return receive(event.bytes)
      case "PartEnd":
        return end()
      case "Fault":
        return { pointer: "", detail: event.detail }
      case "End":
        isComplete = true
        return file === undefined ? { pointer: "/file", detail: "is required" } : undefined
    }
  }

  return {
    push: (chunk) => {
      let ofFile = 0
      for (const event of scanner.push(chunk)) {
        const fault = handle(event)
        if (fault !== undefined) return fault
        if (event._tag === "Data" && name === "file") ofFile += event.bytes.length
      }
      envelope += chunk.length - ofFile
      return envelope > maxEnvelope ? { pointer: "", detail: "has too much beside the file" } : undefined
    },
    take: () => {
      const taken = data
      data = []
      return taken
    },
    file: () => file,
    body: () => body,
    isComplete: () => isComplete
  }
}
