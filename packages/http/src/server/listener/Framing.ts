/**
 * Detects requests whose framing is ambiguous. Node accepts them, but a proxy in front may read them differently, and
 * request smuggling exploits that difference (RFC 9112, sections 3.2, 6.1 and 11.2).
 */
import type { IncomingMessage } from "node:http"

/** Returns the fault in the framing of a request as a sentence, or undefined if there is none. */
export const findFault = (request: IncomingMessage): string | undefined => {
  const coding = request.headers["transfer-encoding"]
  if (coding !== undefined) {
    if (coding.trim().toLowerCase() !== "chunked") return "The only transfer coding that is accepted is chunked."
    if (request.headers["content-length"] !== undefined) {
      return "Content-Length and Transfer-Encoding exclude each other."
    }
  }
  return countHosts(request.rawHeaders) > 1 ? "The Host header must be sent once only." : undefined
}

/** Counts the Host headers of a request. Node's `headers` contains only the first one. */
const countHosts = (rawHeaders: ReadonlyArray<string>): number => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name !== undefined && name.length === 4 && name.toLowerCase() === "host") count++
  }
  return count
}
