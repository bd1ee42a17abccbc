/**
 * The headers that every answer has, those included that are not written through Effect's response.
 */
import * as RequestId from "./RequestId.ts"

/** Header values by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string>>

/** Returns the request id, and a policy by which browsers send no `Referer`: URLs of the API may contain keys. */
export const forRequest = (requestId: string): ResponseHeaders => ({
  "referrer-policy": "no-referrer",
  [RequestId.header]: requestId
})
