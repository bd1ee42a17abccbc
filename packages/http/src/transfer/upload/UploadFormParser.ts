/**
 * A parser for the form of an upload (RFC 7578): one part `file`, and at most one part `body` of JSON text, in either order.
 * Small fields of other names are ignored; another file is refused.
 */
import type { Fault } from "@holdfast/core/Errors"
import type * as MultipartParser from "effect/http/MultipartParser"
import * as JsonText from "../request/JsonText.ts"
import * as FormParser from "./FormParser.ts"

/** The largest part `body`, and the largest ignored part, in bytes. */
const maxField = 64 * 1024
const maxParts = 32
/** The most bytes of a form besides those of its file: heads of parts, boundaries and other parts. */
export const maxOverhead = 256 * 1024

export interface UploadFormParser extends FormParser.FormParser<Fault> {
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

const tooMuchOverhead = formFault(`the form must have at most ${maxOverhead} bytes besides those of the file`)
const longBoundary = formFault(
  `the boundary in the Content-Type must have at most ${FormParser.maxBoundary} characters`
)
const noFile = partFault("file", `is required: ${expectedParts}`)

/** Makes a parser for one form. `contentType` is the `Content-Type` of the request, which contains the boundary. */
export const make = (contentType: string): UploadFormParser => {
  let body: { readonly value: unknown } | undefined
  let bodyBeforeFile: typeof body
  let part = ""
  const seen = new Set<string>()

  const check = (info: MultipartParser.PartInfo): Fault | undefined => {
    if (info.contentDisposition !== "form-data")
      return formFault("every part of the form must have a Content-Disposition of form-data")
    if (FormParser.isEncoded(info)) {
      return partFault(part, "must not have a Content-Transfer-Encoding other than 7bit, 8bit or binary")
    }
    if (part === "file" || part === "body") return seen.has(part) ? partFault(part, "must occur only once") : undefined
    // Ignoring it would lose a file that the client believes to be stored. Browsers send an unused file input with an empty name.
    return info.filename ? partFault(part, `must not have a file: ${expectedParts}`) : undefined
  }

  const parser = FormParser.make<Fault>(contentType, {
    maxParts,
    maxField,
    maxOverhead,
    isFile: ({ name }) => name === "file",
    beginPart: (info) => {
      part = info.name
      const fault = check(info)
      seen.add(part)
      return fault
    },
    endField: ({ name }, value, hasFile) => {
      if (name !== "body") return undefined
      const parsed = JsonText.parse(value)
      if (!("value" in parsed)) return partFault("body", parsed.fault)
      body = parsed
      if (!hasFile) bodyBeforeFile = parsed
      return undefined
    },
    toFault: (error) => toFault(error, part),
    tooMuchOverhead,
    longBoundary,
    noFile
  })
  return { ...parser, body: () => body, bodyBeforeFile: () => bodyBeforeFile }
}
