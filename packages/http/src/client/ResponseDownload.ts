/**
 * A content of which the service has sent the headers.
 */
import type { RangeInput } from "@holdfast/core"
import type { Download } from "@holdfast/core/promises/content/Download"

/** Returns the value of the header `Range` (RFC 9110, section 14.2); undefined for the whole content. */
export const toRangeHeader = (range: RangeInput | undefined): string | undefined => {
  if (range === undefined) return undefined
  if ("suffix" in range) return `bytes=-${range.suffix}`
  const { length, offset } = range
  return `bytes=${offset}-${length === undefined ? "" : offset + length - 1}`
}

/** Reads the body of a response, which can be read once. */
export class ResponseDownload implements Download {
  readonly #response: Response

  constructor(response: Response) {
    this.#response = response
  }

  #header(name: string): string | null {
    return this.#response.headers.get(name)
  }

  get contentType(): string {
    return this.#header("content-type") ?? "application/octet-stream"
  }

  get etag(): string | null {
    return this.#header("etag")
  }

  get length(): number {
    return Number(this.#header("content-length"))
  }

  get size(): number {
    const whole = /\/(\d+)$/.exec(this.#header("content-range") ?? "")?.[1]
    return whole === undefined ? this.length : Number(whole)
  }

  /** Returns the bytes as they arrive. To cancel the stream ends the transfer. */
  stream(): ReadableStream<Uint8Array> {
    return this.#response.body ?? new Blob([]).stream()
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#response.arrayBuffer())
  }

  text(): Promise<string> {
    return this.#response.text()
  }

  blob(): Promise<Blob> {
    return this.#response.blob()
  }

  /** Returns the response itself, with all its headers. */
  response(): Response {
    return this.#response
  }
}
