/**
 * The request listener of a mount whose routes are still being built.
 */
import type * as PromiseApiContext from "@holdfast/core/promises/PromiseApiContext"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import * as Pipelining from "../incoming/Pipelining.ts"
import * as Refusal from "./Refusal.ts"

/** Returns a listener that passes requests on once `building` has ended. It answers `503` after the Holdfast is closed, or where that failed. */
export const make = (
  { isClosed }: Pick<PromiseApiContext.PromiseApiContext, "isClosed">,
  building: Promise<RequestListener>
): ((request: IncomingMessage, response: ServerResponse) => void) => {
  // Each request reports a failed build. Before the first request, nothing could.
  building.catch(() => undefined)
  const pipelining = Pipelining.make()
  return (request, response) => {
    building.then(
      (listener) => {
        if (isClosed()) return Refusal.send(response, Refusal.closed)
        if (!pipelining.ignores(response)) pipelining.start(response, () => listener(request, response))
      },
      () => Refusal.send(response, Refusal.closed)
    )
  }
}
