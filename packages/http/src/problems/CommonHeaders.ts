/**
 * The headers of every answer. Contents that are written past Effect's writer get them from here too.
 */
import * as RequestId from "./RequestId.ts"

/** By lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string>>

/** The headers of the answer to a request: its name, and that addresses, where keys may be, are told to nobody. */
export const of = (requestId: string): ResponseHeaders => ({
  "referrer-policy": "no-referrer",
  [RequestId.header]: requestId
})
