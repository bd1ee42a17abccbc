/**
 * What a server does with the identity that a request turned out to have, such as recording it for the access log.
 */
import type { RequestIdentity } from "@holdfast/core/access/CurrentRequest"
import * as Context from "effect/Context"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

export type IdentityObserver = (request: HttpServerRequest, identity: RequestIdentity) => void

/** Called for each identity that a service has found. By default nothing happens. */
export const IdentityObserver = Context.Reference<IdentityObserver>("@holdfast/http/incoming/IdentityObserver", {
  defaultValue: () => () => undefined
})
