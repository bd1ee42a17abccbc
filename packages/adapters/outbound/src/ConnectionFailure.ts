/**
 * Recognizes failed connections by the codes of Node's errors.
 */

/** Names of errno, codes of the resolver, and Node's own code for a body that ended early. */
const codes: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ERR_STREAM_PREMATURE_CLOSE"
])

/** Returns whether an error's code means that its connection failed, so that the same request may succeed later. */
export const isCode = (code: unknown): boolean => codes.has(code)
