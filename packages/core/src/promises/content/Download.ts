/**
 * An opened content, in the Promise API and in the HTTP client.
 */

/** The bytes of a file, of a segment or of a playlist. */
export interface Download {
  /** The media type. */
  readonly contentType: string
  /** The strong entity tag, with its quotes; null for a playlist, which may change. */
  readonly etag: string | null
  /** Bytes of the whole content. */
  readonly size: number
  /** Bytes that are read: all of them, or those of the range. */
  readonly length: number
  /** Returns the bytes as a web stream, which reads no faster than its consumer. To cancel it ends the reading. */
  stream(): ReadableStream<Uint8Array>
  /** Reads all bytes; they must fit into memory. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  /** Reads all bytes as UTF-8 text. */
  text(): Promise<string>
  /** Reads all bytes into a `Blob` of the content's media type. */
  blob(): Promise<Blob>
  /** Returns a web `Response` with the bytes and their headers; its status is 206 for a range. */
  response(): Response
}
