/**
 * The header fields of the draft "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload): items of Structured Fields
 * (RFC 9651). A field with any other value is ignored, as the draft requires.
 */
import type { RequestHeaders } from "./EntityTags.ts"

/** The versions of the draft's implementations that get `104` answers; the headers of both are the same. */
const interopVersions: ReadonlySet<string> = new Set(["6", "8"])

/** Integers of Structured Fields have at most 15 digits (RFC 9651, section 3.3.1). */
export const maxInteger = 999_999_999_999_999

const integer = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined

/** Whether the request completes the content; undefined for a request without `Upload-Complete`, which is not one of the draft. */
export const complete = ({ "upload-complete": text }: RequestHeaders): boolean | undefined => {
  const value = text?.trim()
  return value === "?1" ? true : value === "?0" ? false : undefined
}

/** Where the client continues, in bytes. */
export const offset = ({ "upload-offset": text }: RequestHeaders): number | undefined => integer(text)

/** Bytes of the whole content. */
export const length = ({ "upload-length": text }: RequestHeaders): number | undefined => integer(text)

/** The version of the draft that the client implements, if `104` answers of this service are such as it expects. */
export const interopVersion = ({ "upload-draft-interop-version": text }: RequestHeaders): string | undefined =>
  text !== undefined && interopVersions.has(text.trim()) ? text.trim() : undefined

/** Writes a boolean. */
export const formatBoolean = (value: boolean): string => (value ? "?1" : "?0")
