/**
 * Texts in headers that only have ASCII characters: encoded words (RFC 2047), in which Amazon S3 answers other characters of user metadata.
 */

/** Bytes of one encoded word, at most: it has 75 characters with its markers (RFC 2047, section 2). */
const maxWordBytes = 45

const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text)

/** Returns a text in parts of at most so many bytes of UTF-8, without a split character. */
const split = (text: string, maxBytes: number): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let part = ""
  for (const character of text) {
    if (Buffer.byteLength(part + character) > maxBytes) {
      parts.push(part)
      part = ""
    }
    part += character
  }
  return [...parts, part]
}

/** Returns a text as a header has it: with encoded words if it is not ASCII. */
export const encode = (text: string): string =>
  isAscii(text)
    ? text
    : split(text, maxWordBytes)
        .map((part) => `=?UTF-8?B?${Buffer.from(part).toString("base64")}?=`)
        .join(" ")

const decoders: Readonly<Record<string, BufferEncoding>> = {
  "utf-8": "utf8",
  "iso-8859-1": "latin1",
  "us-ascii": "latin1"
}

const bytesOf = (encoding: string, text: string): Buffer =>
  encoding.toUpperCase() === "B"
    ? Buffer.from(text, "base64")
    : Buffer.from(
        text
          .replaceAll("_", " ")
          .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
        "latin1"
      )

/** Returns the text that a header means: its encoded words are decoded, and the space between two of them is removed. */
export const decode = (header: string): string =>
  header
    .replace(/(=\?[^?\s]+\?[BbQq]\?[^?\s]*\?=)\s+(?==\?[^?\s]+\?[BbQq]\?[^?\s]*\?=)/g, "$1")
    .replace(
      /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([BbQq])\?([^?\s]*)\?=/g,
      (word, charset: string, encoding: string, text: string) => {
        const decoder = decoders[charset.toLowerCase()]
        return decoder === undefined ? word : bytesOf(encoding, text).toString(decoder)
      }
    )
