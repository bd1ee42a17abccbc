/**
 * Failures of requests that were tried ahead of the router. The router answers such a request with the failure, and does not try again:
 * a database that does not answer would take the client's time twice, and a body can be read once.
 */
import type * as Cause from "effect/Cause"
import type { IncomingMessage } from "node:http"

const failures = new WeakMap<object, Cause.Cause<unknown>>()

/** Records that a request has failed. */
export const set = (request: IncomingMessage, cause: Cause.Cause<unknown>): void => void failures.set(request, cause)

/** Returns why a request has failed, by Node's request; undefined if it has not. */
export const find = (request: object): Cause.Cause<unknown> | undefined => failures.get(request)
