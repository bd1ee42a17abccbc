/**
 * Bodies that a host has read and parsed before it hands a request on, as `express.json()` does: what it left in
 * `request.body` is put back as bytes, where those mean the same.
 */
import { IncomingMessage } from "node:http"

const json = /^[ \t]*application\/json[ \t]*(?:;|$)/i
/** The operation whose body is a content: it is stored byte for byte, and a parsed one is not that any more. */
const content = /\/reupload(?:\?|$)/

const encode = (body: unknown, request: IncomingMessage): Uint8Array | undefined => {
  if (body instanceof Uint8Array) return body
  if (content.test(request.url ?? "")) return undefined
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
 * The request itself while its body is unread. Otherwise one like it with the body that the host has parsed; undefined
 * where that cannot be made from it: forms, contents that are not given as bytes, bodies that went elsewhere.
 */
export const restore = (request: IncomingMessage): IncomingMessage | undefined => {
  if (!request.readableDidRead || !hasBody(request)) return request
  const bytes = "body" in request ? encode(request.body, request) : undefined
  return bytes === undefined ? undefined : withBody(request, bytes)
}
