/**
 * One request to the fake service, and its response.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http"
import * as GcsError from "./GcsError.ts"
import type * as Faults from "./GcsFaults.ts"

export interface Request {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  readonly method: string
  /** As it was sent: dots and slashes may be part of an object's name. */
  readonly path: string
  readonly query: URLSearchParams
  /** The fault that the test has injected for this request. */
  readonly fault: Faults.Fault | undefined
}

/** The connection ended before the request's body did. */
export class ConnectionCut extends Error {}

const flipBit = (chunk: Uint8Array): Uint8Array => {
  const damaged = Buffer.from(chunk)
  damaged.writeUInt8(damaged.readUInt8(0) ^ 1, 0)
  return damaged
}

/** Returns the bytes of an object as they arrive: damaged by the fault `damage`, otherwise unchanged. */
export const damageIfPlanned = ({ fault }: Request, bytes: Uint8Array): Uint8Array =>
  fault?.kind === "damage" && bytes.byteLength > 0 ? flipBit(bytes) : bytes

/** Reads the request's body as it arrives. */
export async function* body({ fault, message }: Request): AsyncGenerator<Uint8Array> {
  const end = fault?.kind === "cutRequest" ? fault.after : Infinity
  let count = 0
  try {
    for await (const chunk of message) {
      const bytes: Uint8Array = chunk
      if (count + bytes.byteLength >= end) {
        yield bytes.subarray(0, end - count)
        message.socket.destroy()
        throw new ConnectionCut()
      }
      count += bytes.byteLength
      yield bytes
    }
  } catch {
    throw new ConnectionCut()
  }
}

/** Reads the request's whole body. */
export const readBody = async (request: Request): Promise<Buffer> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of body(request)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Sends a response, or the part of it that the fault `cutResponse` lets through. */
export const respond = (
  { fault, response }: Request,
  status: number,
  headers: OutgoingHttpHeaders,
  text: string | Buffer = ""
): void => {
  const bytes = Buffer.from(text)
  if (fault?.kind !== "cutResponse") {
    // A 204 has no body, and no length of one.
    const length = status === 204 ? {} : { "content-length": bytes.byteLength }
    response.writeHead(status, { ...headers, ...length }).end(bytes)
  } else if (fault.after === 0) {
    response.destroy()
  } else {
    response.writeHead(status, { ...headers, "content-length": bytes.byteLength })
    response.write(bytes.subarray(0, fault.after), () => response.destroy())
  }
}

/** Sends a response whose body is JSON. */
export const respondJson = (
  request: Request,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = {}
): void =>
  respond(request, status, { "content-type": "application/json; charset=UTF-8", ...headers }, JSON.stringify(value))

/** Sends an error: plain text where an object's bytes were requested, as the service does, and otherwise JSON. */
export const respondError = (request: Request, error: GcsError.GcsError): void => {
  if (request.query.get("alt") === "media") {
    respond(request, error.status, { "content-type": "text/html; charset=UTF-8" }, error.message)
  } else {
    respond(request, error.status, { "content-type": "application/json; charset=UTF-8" }, GcsError.toBody(error))
  }
}
