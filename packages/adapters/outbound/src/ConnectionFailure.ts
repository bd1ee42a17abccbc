/**
 * What connections die of, by the codes that Node gives to errors.
 */

/** errno's names, those of the resolver, and Node's own for a body that was cut off. */
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

/** Whether an error's code says that its connection failed, so that the same request may succeed later. */
export const isCode = (code: unknown): boolean => codes.has(code)
