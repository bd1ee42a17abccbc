/**
 * The responses of Node's server, with two differences.
 *
 * - One that the client did not wait for reports its end (`close`) in one of the next turns of the event loop, because its listeners
 *   interrupt the request.
 * - A large text that ends a response is written in pieces, each after the client has read most of the one before. Node would copy all of it
 *   for the socket, and until all of it was sent nothing would tell a client that reads slowly from one that does not read at all.
 */
import { type IncomingMessage, ServerResponse } from "node:http"
import * as Aborts from "../../../incoming/Aborts.ts"

/** Characters or bytes. */
const pieceLength = 64 * 1024

/** Returns where a piece ends. It cuts no character in two. */
const endOfPiece = (body: string | Uint8Array, start: number): number => {
  const end = start + pieceLength
  const isCut = typeof body === "string" && (body.charCodeAt(end - 1) & 0xfc00) === 0xd800
  return isCut ? end - 1 : end
}

const isEncoding = (value: unknown): value is BufferEncoding => typeof value === "string"

export class PacedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** The length of a large text that is being written. All of it is in memory until the last piece is. */
  bodyLength = 0

  override emit(event: string | symbol, ...values: Array<unknown>): boolean {
    if (event !== "close" || this.writableEnded) return super.emit(event, ...values)
    Aborts.ofProcess.enqueue(() => super.emit("close"))
    return true
  }

  override end(...values: Array<unknown>): this {
    const [body, ...others] = values
    const isLarge = (typeof body === "string" || body instanceof Uint8Array) && body.length > 2 * pieceLength
    if (!isLarge) return Reflect.apply(super.end, this, values)
    const encoding = others.find(isEncoding) ?? "utf8"
    if (!this.headersSent && !this.hasHeader("content-length")) {
      this.setHeader("content-length", Buffer.byteLength(body, encoding))
    }
    const write = (start: number): void => {
      const end = endOfPiece(body, start)
      const piece = typeof body === "string" ? body.slice(start, end) : body.subarray(start, end)
      if (end >= body.length) {
        this.bodyLength = 0
        return void Reflect.apply(super.end, this, [piece, ...others])
      }
      // A write fails when the connection is lost, which the response reports itself.
      super.write(piece, encoding, (error) => (error ? undefined : write(end)))
    }
    this.bodyLength = body.length
    write(0)
    return this
  }
}
