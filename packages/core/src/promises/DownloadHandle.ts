/**
 * A content that is about to be read.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { InvalidRequest } from "../Errors.ts"
import type { Download } from "../files/Downloads.ts"
import * as File from "../files/File.ts"
import type { ByteRange } from "../storage/BlobStore.ts"
import * as Plain from "./Plain.ts"
import { whole } from "./CollectBytes.ts"

/** Which bytes: `length` from `offset` on, to the end without a length. */
export interface RangeInput {
  readonly offset: number
  readonly length?: number | undefined
}

/** The range inside a content of this size; `InvalidRequest` at `/range` when it reaches beyond it. */
export const within = (
  size: number,
  range: RangeInput | undefined
): Effect.Effect<ByteRange | undefined, InvalidRequest> => {
  if (range === undefined) return Effect.succeed<ByteRange | undefined>(undefined)
  const { length = size - range.offset, offset } = range
  const isWithin =
    Number.isSafeInteger(offset) &&
    Number.isSafeInteger(length) &&
    offset >= 0 &&
    length >= 0 &&
    offset + length <= size
  return isWithin
    ? Effect.succeed({ offset, length })
    : Effect.fail(InvalidRequest.at("/range", `must lie within the ${size} bytes of the content`))
}

/**
 * One version of a file: it stays what it is, also when the file is overwritten meanwhile. Nothing is read before
 * `stream`, `bytes`, `text` or `response` is called, and each call reads anew.
 */
export class DownloadHandle {
  /** The record of the file. */
  readonly file: Plain.Plain<File.File>
  /** Bytes of the whole content. */
  readonly size: number
  /** Bytes that will be read: all of them, or those of the range. */
  readonly length: number
  readonly #download: Download
  readonly #range: ByteRange | undefined
  readonly #context: Context.Context<never>

  constructor(download: Download, range: ByteRange | undefined, context: Context.Context<never>) {
    this.file = Plain.fromCore(File.fromStored(download.file))
    this.size = download.content.size
    this.length = range === undefined ? this.size : range.length
    this.#download = download
    this.#range = range
    this.#context = context
  }

  /** The bytes as a web stream, read as fast as they are taken. Cancelling it closes the file. */
  stream(): ReadableStream<Uint8Array> {
    return Stream.toReadableStreamWith(this.#download.read(this.#range), this.#context)
  }

  /** The bytes at once; they must fit into memory. Rejects with `BlobError` when they cannot be read to the end. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return whole(this.stream(), this.length)
  }

  /** The bytes as UTF-8 text. */
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes())
  }

  /** A web `Response` with the content, its type, entity tag and the file's own headers; `206` for a range. */
  response(): Response {
    const { content, file } = this.#download
    const headers = new Headers({
      "content-type": content.contentType,
      "content-length": String(this.length),
      "last-modified": Plain.fromCore(content.storedAt).toUTCString(),
      "x-content-type-options": "nosniff",
      etag: content.etag
    })
    for (const { name, value } of file.headers) headers.set(name, value)
    const range = this.#range
    if (range === undefined) return new Response(this.stream(), { headers })
    headers.set("content-range", `bytes ${range.offset}-${range.offset + range.length - 1}/${this.size}`)
    return new Response(this.stream(), { headers, status: 206 })
  }
}
