/**
 * The requests of Node's server, which join small chunks of their bodies. Node makes a buffer for each chunk of HTTP/1.1, which takes a
 * microsecond and some 200 bytes of memory. A client may send chunks of one byte (RFC 9112, section 7.1): a body of a MiB in them
 * would take 200 MiB while it is collected.
 */
import { IncomingMessage } from "node:http"
import type { Socket } from "node:net"

/** Chunks of fewer bytes are joined. A chunk of more takes longer to receive than to parse. */
const smallBytes = 1024

/** Bytes of chunks that are joined at most. */
const joinedBytes = 16 * 1024

export class PacedRequest extends IncomingMessage {
  /** Called for each small chunk. */
  onSmallChunk: ((socket: Socket) => void) | undefined
  /** Small chunks that have arrived in this turn of the event loop: one, or the bytes of several. */
  #waiting: Uint8Array | undefined
  /** Bytes. */
  #length = 0
  #isDropped = false

  /** Node calls this for each chunk, and with null at the end. It stops to read from the socket after false. */
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    const isSmall = chunk instanceof Uint8Array && chunk.length < smallBytes
    if (isSmall) this.onSmallChunk?.(this.socket)
    if (this.#isDropped && chunk !== null) return true
    if (isSmall) return this.#join(chunk)
    this.#flush()
    return super.push(chunk, encoding)
  }

  /** Node calls this after a response whose handler has read nothing. It would drop the rest of the body without calls of `push`. */
  _dump(): void {
    this.#isDropped = true
    this.#waiting = undefined
    this.resume()
  }

  #join(chunk: Uint8Array): boolean {
    const { length } = chunk
    if (this.#waiting === undefined) {
      this.#waiting = chunk
      this.#length = length
      // Not with `process.nextTick`, whose functions Node calls after each chunk.
      setImmediate(PacedRequest.#flushOf, this)
    } else {
      if (this.#length === this.#waiting.length) {
        const joined = Buffer.allocUnsafe(joinedBytes)
        joined.set(this.#waiting)
        this.#waiting = joined
      }
      this.#waiting.set(chunk, this.#length)
      this.#length += length
      if (this.#length > joinedBytes - smallBytes) this.#flush()
    }
    return this.readableLength + this.#length < this.readableHighWaterMark
  }

  static #flushOf(request: PacedRequest): void {
    request.#flush()
  }

  #flush(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    const length = this.#length
    this.#length = 0
    if (!this.destroyed) super.push(length === waiting.length ? waiting : waiting.subarray(0, length))
  }
}
