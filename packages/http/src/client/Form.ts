/**
 * The form of a direct upload (RFC 7578) around a content of any length. Where the whole content is at hand the
 * platform's `FormData` serves.
 */

export interface Form {
  readonly contentType: string
  /** What comes before the content, and what after it. */
  readonly around: readonly [Uint8Array, Uint8Array]
}

export interface Part {
  readonly name: string
  readonly contentType: string | undefined
}

/** What would end the quotes is escaped as the WHATWG's form algorithm does. */
const quote = (text: string): string =>
  `"${text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}"`

/** What a header cannot carry would begin another one. */
const isMediaType = (text: string): boolean => !/[^\t\x20-\x7e]/.test(text)

/** `description` is the part `body`, as JSON. */
export const make = (description: object, { contentType, name }: Part): Form => {
  const boundary = `holdfast-${crypto.randomUUID()}`
  const type = contentType === undefined || !isMediaType(contentType) ? "application/octet-stream" : contentType
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
