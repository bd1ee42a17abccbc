/**
 * The `multipart/form-data` body of an upload (RFC 7578) whose content is a stream. For a content that is a `Blob` the
 * platform's `FormData` does the same.
 */

export interface UploadForm {
  readonly contentType: string
  /** The bytes before the content, and those after it. */
  readonly around: readonly [Uint8Array, Uint8Array]
}

/** The part of the form that has the content. */
export interface FilePart {
  readonly name: string
  readonly contentType: string | undefined
}

/** Quotes a file name. Escapes the characters that would end it, as WHATWG's multipart/form-data encoding does. */
const quote = (text: string): string =>
  `"${text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}"`

/** Whether a text can be the value of a header. A line break in it would begin another header. */
const isHeaderValue = (text: string): boolean => !/[^\t\x20-\x7e]/.test(text)

/** Returns a form with `description` as JSON in the part `body`, and the content in the part `file`. */
export const make = (description: object, { contentType, name }: FilePart): UploadForm => {
  const boundary = `holdfast-${crypto.randomUUID()}`
  const type = contentType === undefined || !isHeaderValue(contentType) ? "application/octet-stream" : contentType
  const head = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="body"',
    "Content-Type: application/json",
    "",
    JSON.stringify(description),
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename=${quote(name)}`,
    `Content-Type: ${type}`,
    "",
    ""
  ].join("\r\n")
  const encoder = new TextEncoder()
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    around: [encoder.encode(head), encoder.encode(`\r\n--${boundary}--\r\n`)]
  }
}
