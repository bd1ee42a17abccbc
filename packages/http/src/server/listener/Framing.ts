/**
 * Requests whose framing is ambiguous. Node lets them pass; a proxy in front may read them otherwise than we do, and
 * that difference is how requests are smuggled (RFC 9112 §3.2, §6.1, §11.2).
 */
import type { IncomingMessage } from "node:http"

/** What is wrong with the framing of a request; undefined when nothing is. */
export const fault = (request: IncomingMessage): string | undefined => {
  const coding = request.headers["transfer-encoding"]
  if (coding !== undefined) {
    if (coding.trim().toLowerCase() !== "chunked") return "The only transfer coding that is accepted is chunked."
    if (request.headers["content-length"] !== undefined) {
      return "Content-Length and Transfer-Encoding exclude each other."
    }
  }
  return hosts(request.rawHeaders) > 1 ? "The Host header must be given once." : undefined
}

/** How often the Host header was sent; Node's `headers` keeps the first one only. */
const hosts = (raw: ReadonlyArray<string>): number => {
  let count = 0
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]
    if (name !== undefined && name.length === 4 && name.toLowerCase() === "host") count++
  }
  return count
}
