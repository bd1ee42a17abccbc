/**
 * Failures of requests that were tried ahead of the router. The router answers such a request with the failure, and does not try again:
 * a database that does not answer would take the client's time twice.
 */
import type { MetadataError } from "@holdfast/core/MetadataError"
import type { IncomingMessage } from "node:http"

const failures = new WeakMap<object, MetadataError>()

/** Records that a request has failed. */
export const set = (request: IncomingMessage, error: MetadataError): void => void failures.set(request, error)

/** Returns the failure of a request, by Node's request; undefined if there is none. */
export const find = (request: object): MetadataError | undefined => failures.get(request)
