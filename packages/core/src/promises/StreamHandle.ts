/**
 * A file of a stream that is about to be read.
 */
import type * as Context from "effect/Context"
import * as Stream from "effect/Stream"
import type { OpenedPlaylist, OpenedSegment } from "../playback/OpenedStream.ts"
import { whole } from "./CollectBytes.ts"

const encoder = new TextEncoder()

/**
 * A playlist as it stood when it was opened, or a segment. Nothing of a segment is read before `stream`,
 * `bytes`, `text` or `response` is called, and each call reads anew. Addresses in a playlist are relative and carry no key.
 */
export class StreamHandle {
  /** Its name, as in a playlist. */
  readonly name: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  readonly #opened: OpenedPlaylist | OpenedSegment
  readonly #context: Context.Context<never>

  constructor(opened: OpenedPlaylist | OpenedSegment, context: Context.Context<never>) {
    this.name = opened.name
    this.contentType = opened.contentType
    this.size = opened._tag === "Segment" ? opened.size : encoder.encode(opened.text).length
    this.#opened = opened
    this.#context = context
  }

  /** The bytes as a web stream, read as fast as they are taken. */
  stream(): ReadableStream<Uint8Array> {
    const opened = this.#opened
    const bytes = opened._tag === "Segment" ? opened.read() : Stream.succeed(encoder.encode(opened.text))
    return Stream.toReadableStreamWith(bytes, this.#context)
  }

  /** The bytes at once. Rejects with `BlobError` when they cannot be read to the end. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return whole(this.stream(), this.size)
  }

  /** The bytes as UTF-8 text. */
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes())
  }

  /** A web `Response` with the bytes, their type, and their entity tag where they have one. */
  response(): Response {
    const opened = this.#opened
    const headers = new Headers({
      "content-type": this.contentType,
      "content-length": String(this.size),
      "cache-control": opened._tag === "Segment" ? "private, no-cache" : "private, no-store",
      "x-content-type-options": "nosniff"
    })
    if (opened._tag === "Segment") headers.set("etag", opened.etag)
    return new Response(this.stream(), { headers })
  }
}
