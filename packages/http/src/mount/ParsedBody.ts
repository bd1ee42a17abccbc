/**
 * Bodies that a host has read and parsed before it hands a request on, as `express.json()` does: what it left in
 * `request.body` is put back as bytes.
 */
import { IncomingMessage } from "node:http"

const isJson = /^[ \t]*application\/(?:[\w.-]+\+)?json[ \t]*(?:;|$)/i

const encode = (body: unknown, contentType: string | undefined): Buffer | undefined => {
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (isJson.test(contentType ?? "")) return Buffer.from(JSON.stringify(body))
  return typeof body === "string" ? Buffer.from(body) : undefined
}

/**
 * The request itself while its body is unread. Otherwise one like it with the body that the host has parsed; undefined
 * where that cannot be turned back into bytes, such as a form's.
 */
export const restore = (request: IncomingMessage): IncomingMessage | undefined => {
  if (!request.readableDidRead || !("body" in request) || request.body === undefined) return request
  const bytes = encode(request.body, request.headers["content-type"])
  if (bytes === undefined) return undefined
  const copy = new IncomingMessage(request.socket)
  const { "content-encoding": _, "transfer-encoding": __, ...headers } = request.headers
  copy.headers = { ...headers, "content-length": String(bytes.length) }
  copy.rawHeaders = request.rawHeaders
  copy.method = request.method
  copy.url = request.url
  copy.httpVersion = request.httpVersion
  copy.httpVersionMajor = request.httpVersionMajor
  copy.httpVersionMinor = request.httpVersionMinor
  copy.complete = true
  copy.push(bytes)
  copy.push(null)
  return copy
}
