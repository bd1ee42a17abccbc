/**
 * A form with one file (RFC 7578), as a stream whose length is known beforehand.
 */
import { randomUUID } from "node:crypto"
import { Readable } from "node:stream"

export interface Form {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

/** Part names and file names are quoted; what would end the quotes is escaped as the WHATWG's form algorithm does. */
const quote = (text: string): string =>
  `"${text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}"`

/** `record` is the part `body`, as JSON; `content` is the part `file`, of `size` bytes. */
export const make = (record: { readonly name: string }, size: number, content: AsyncIterable<Buffer>): Form => {
  const boundary = `holdfast-${randomUUID()}`
  const head = Buffer.from(
    [
      `--${boundary}`,
      'Content-Disposition: form-data; name="body"',
      "Content-Type: application/json",
      "",
      JSON.stringify(record),
      `--${boundary}`,
      `Content-Disposition: form-data; name="file"; filename=${quote(record.name)}`,
      "Content-Type: application/octet-stream",
      "",
      ""
    ].join("\r\n")
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const parts = async function* () {
    yield head
    yield* content
    yield tail
  }
  return {
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": String(head.length + size + tail.length)
    },
    body: Readable.from(parts(), { objectMode: false, highWaterMark: 256 * 1024 })
  }
}
