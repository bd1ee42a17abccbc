/**
 * A form with one file (`multipart/form-data`, RFC 7578) as a stream of known length.
 */
import { Readable } from "node:stream"
import * as UploadForm from "../../client/upload/UploadForm.ts"

export interface MultipartForm {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

/** Returns a form with `record` as JSON in the part `body`, and `content`, of `size` bytes, in the part `file`. */
export const make = (
  record: { readonly name: string },
  size: number,
  content: AsyncIterable<Buffer>
): MultipartForm => {
  const { around, contentType } = UploadForm.make(record, { name: record.name, contentType: undefined })
  const [head, tail] = around
  const chunks = async function* () {
    yield head
    yield* content
    yield tail
  }
  return {
    headers: { "content-type": contentType, "content-length": String(head.length + size + tail.length) },
    body: Readable.from(chunks(), { objectMode: false, highWaterMark: 256 * 1024 })
  }
}
