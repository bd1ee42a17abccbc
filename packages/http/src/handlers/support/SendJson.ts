/**
 * Sends JSON texts to Node's response, without the router.
 */
import type { ServerResponse } from "node:http"
import * as CommonHeaders from "../../problems/CommonHeaders.ts"
import * as FileJson from "./FileJson.ts"

export interface Answer {
  readonly status: number
  readonly requestId: string | undefined
  readonly text: string
  readonly location?: string | undefined
}

/** Sends an answer whose text is JSON. */
export const send = (response: ServerResponse, { location, requestId = "none", status, text }: Answer): void => {
  const length = Buffer.byteLength(text)
  response.writeHead(status, {
    "content-type": FileJson.contentType,
    "content-length": length,
    ...(location === undefined ? undefined : { location }),
    ...CommonHeaders.uncached,
    ...CommonHeaders.forResponse(response, requestId)
  })
  // ASCII has the same bytes in both encodings. For UTF-8 Node.js reserves three bytes for each character, and converts them.
  response.end(text, length === text.length ? "latin1" : "utf8")
}
