/**
 * Bounds the body of a response, whatever its client does with the bytes. Clients of object stores collect every body
 * that is not the content of an object in memory, so a body without end would use all of it.
 */
import type * as Http from "node:http"
import { ResponseTooLong } from "../ResponseTooLong.ts"

/** A page of a listing has up to 1,000 names of up to 4 KiB. */
const maxAnswerBytes = 8 * 1024 * 1024

/** An error document has less than 2 KiB; the page of a proxy in front of the service may have more. */
const maxErrorBytes = 256 * 1024

/** Returns whether a status means that a request succeeded. */
export const isSuccess = ({ statusCode = 0 }: Http.IncomingMessage): boolean => statusCode >= 200 && statusCode < 300

/**
 * Destroys a response as soon as it has sent too many bytes. Counts them where Node's parser delivers them: a client
 * may read by events, by pipes or by iteration.
 */
export const install = (response: Http.IncomingMessage): void => {
  const maxBytes = isSuccess(response) ? maxAnswerBytes : maxErrorBytes
  const push = response.push.bind(response)
  let received = 0
  response.push = (chunk: Uint8Array | null, encoding) => {
    received += chunk?.byteLength ?? 0
    if (received <= maxBytes) return push(chunk, encoding)
    response.destroy(new ResponseTooLong({ maxBytes }))
    return false
  }
}
