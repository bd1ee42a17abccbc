/**
 * Bounds the interim responses to a request (status 1xx, RFC 9110, section 15.2). A service may send any number of them before its
 * response, and each costs the client processor time: a service that sends nothing else would take a whole core.
 */
import type * as Http from "node:http"
import { UnexpectedResponse } from "../UnexpectedResponse.ts"

/** A service sends one before it reads a body, and a few while it works on a large object. */
const maxInterim = 8

/** Destroys a request as soon as it gets too many interim responses. */
export const install = (request: Http.ClientRequest): void => {
  let received = 0
  request.on("information", () => {
    received++
    if (received > maxInterim) request.destroy(new UnexpectedResponse({ event: "sent too many interim responses" }))
  })
}
