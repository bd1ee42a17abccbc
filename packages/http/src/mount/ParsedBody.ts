/**
 * Restores request bodies that a host has read and parsed before it passes the request on, as `express.json()` does.
 * The bytes come from `request.body`, as far as they can be rebuilt from it.
 */
import { IncomingMessage } from "node:http"

const json = /^[ \t]*application\/json[ \t]*(?:;|$)/i
/**
 * The operations whose body is a file's content, or a part of it. They store the bytes as they are, and parsing does not preserve them.
 */
const contentUpload = /\/(?:reupload|files\/upload|files\/uploads(?:\/[^/?]+)?)(?:\?|$)/

const encode = (body: unknown, request: IncomingMessage): Uint8Array | undefined => {
  if (body instanceof Uint8Array) return body
  if (contentUpload.test(request.url ?? "")) return undefined
  if (typeof body === "string") return Buffer.from(body)
  return json.test(request.headers["content-type"] ?? "") ? Buffer.from(JSON.stringify(body)) : undefined
}

const withBody = (request: IncomingMessage, bytes: Uint8Array): IncomingMessage => {
  const { "content-encoding": _, "transfer-encoding": __, ...headers } = request.headers
  const message = new IncomingMessage(request.socket)
  message.headers = { ...headers, "content-length": String(bytes.length) }
  message.rawHeaders = request.rawHeaders
  message.method = request.method
  message.url = request.url
  message.httpVersion = request.httpVersion
  message.httpVersionMajor = request.httpVersionMajor
  message.httpVersionMinor = request.httpVersionMinor
  message.complete = true
  message.push(bytes)
  message.push(null)
  return message
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

/**
 * Returns the request itself if its body is unread, otherwise a copy with the body that the host has parsed. Returns
 * undefined if the body cannot be rebuilt: a form, the content of a file that is not given as bytes, or a body that the
 * host did not leave in `request.body`.
 */
export const restore = (request: IncomingMessage): IncomingMessage | undefined => {
  if (!request.readableDidRead || !hasBody(request)) return request
  const bytes = "body" in request ? encode(request.body, request) : undefined
  return bytes === undefined ? undefined : withBody(request, bytes)
}
