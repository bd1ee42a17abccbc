/**
 * One request and its answer.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http"
import type * as Faults from "./GcsFaults.ts"
import * as Refusal from "./GcsRefusal.ts"

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly method: string
  /** As it was sent: dots and slashes may be part of an object's name. */
  readonly path: string
  readonly query: URLSearchParams
  readonly fault: Faults.Fault | undefined
}

/** The connection ended before the request's body did. */
export class Cut extends Error {}

const flip = (chunk: Uint8Array): Uint8Array => {
  const damaged = Buffer.from(chunk)
  damaged.writeUInt8(damaged.readUInt8(0) ^ 1, 0)
  return damaged
}

/** The bytes for an object, damaged where the test wants it. */
export const media = ({ fault }: Exchange, bytes: Uint8Array): Uint8Array =>
  fault?.kind === "damage" && bytes.byteLength > 0 ? flip(bytes) : bytes

/** The request's body as it arrives. */
export async function* body({ fault, request }: Exchange): AsyncGenerator<Uint8Array> {
  const end = fault?.kind === "cutRequest" ? fault.after : Infinity
  let count = 0
  try {
    for await (const chunk of request) {
      const bytes: Uint8Array = chunk
      if (count + bytes.byteLength >= end) {
        yield bytes.subarray(0, end - count)
        request.socket.destroy()
        throw new Cut()
      }
      count += bytes.byteLength
      yield bytes
    }
  } catch {
    throw new Cut()
  }
}

export const whole = async (exchange: Exchange): Promise<Buffer> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of body(exchange)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Answers; what is to be cut is cut. */
export const answer = (
  { fault, response }: Exchange,
  status: number,
  headers: OutgoingHttpHeaders,
  text: string | Buffer = ""
): void => {
  const bytes = Buffer.from(text)
  if (fault?.kind !== "cutAnswer") {
    // Nothing tells the length of what is never there.
    const length = status === 204 ? {} : { "content-length": bytes.byteLength }
    response.writeHead(status, { ...headers, ...length }).end(bytes)
  } else if (fault.after === 0) {
    response.destroy()
  } else {
    response.writeHead(status, { ...headers, "content-length": bytes.byteLength })
    response.write(bytes.subarray(0, fault.after), () => response.destroy())
  }
}

export const json = (exchange: Exchange, status: number, value: unknown, headers: OutgoingHttpHeaders = {}): void =>
  answer(exchange, status, { "content-type": "application/json; charset=UTF-8", ...headers }, JSON.stringify(value))

export const refuse = (exchange: Exchange, refusal: Refusal.Refusal): void => {
  // As the service: whoever asks for bytes is told in plain words.
  if (exchange.query.get("alt") === "media") {
    answer(exchange, refusal.status, { "content-type": "text/html; charset=UTF-8" }, refusal.message)
  } else {
    answer(exchange, refusal.status, { "content-type": "application/json; charset=UTF-8" }, Refusal.body(refusal))
  }
}
