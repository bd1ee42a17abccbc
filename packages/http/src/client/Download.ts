/**
 * A content that is being read: the head has come, the bytes come as they are taken.
 */

/** Which bytes: `length` from `offset` on, to the end without a length; or the last `suffix` bytes. */
export type Range = { readonly offset: number; readonly length?: number | undefined } | { readonly suffix: number }

export const toHeader = (range: Range): string => {
  if ("suffix" in range) return `bytes=-${range.suffix}`
  const { length, offset } = range
  return `bytes=${offset}-${length === undefined ? "" : offset + length - 1}`
}

export class Download {
  /** The answer itself, with all its headers. */
  readonly response: Response

  constructor(response: Response) {
    this.response = response
  }

  get contentType(): string {
    return this.response.headers.get("content-type") ?? "application/octet-stream"
  }

  /** With its quotes. */
  get etag(): string | null {
    return this.response.headers.get("etag")
  }

  /** Bytes that come: those of the range, where one was asked for. */
  get length(): number {
    return Number(this.response.headers.get("content-length"))
  }

  /** Bytes of the whole content. */
  get size(): number {
    const whole = /\/(\d+)$/.exec(this.response.headers.get("content-range") ?? "")?.[1]
    return whole === undefined ? this.length : Number(whole)
  }

  /** The bytes as they come. Cancelling it ends the transfer. */
  stream(): ReadableStream<Uint8Array> {
    return this.response.body ?? new Blob([]).stream()
  }

  /** The bytes at once; they must fit into memory. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.response.arrayBuffer())
  }

  text(): Promise<string> {
    return this.response.text()
  }

  blob(): Promise<Blob> {
    return this.response.blob()
  }
}
