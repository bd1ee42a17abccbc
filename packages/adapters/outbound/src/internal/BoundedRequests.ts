/**
 * Bounds every request that an agent sends, whichever client makes it.
 */
import type * as Http from "node:http"
import type { RequestRules } from "../RequestRules.ts"
import * as InterimResponses from "./InterimResponses.ts"
import * as RequestDeadline from "./RequestDeadline.ts"
import * as RequestEnd from "./RequestEnd.ts"
import * as ResponseBound from "./ResponseBound.ts"

/** The method by which Node's HTTP client gives a request to its agent. Node's types leave it out. */
interface RequestQueue {
  addRequest: (request: Http.ClientRequest, ...options: ReadonlyArray<unknown>) => void
}

const defaultTimeout = 30_000

const bound = (
  request: Http.ClientRequest,
  { isContent = () => false, isSlow = () => false, requestTimeout = defaultTimeout }: RequestRules
): void => {
  const line = { method: request.method, path: request.path, header: (name: string) => request.getHeader(name) }
  const hasContent = (response: Http.IncomingMessage) => ResponseBound.isSuccess(response) && isContent(line)
  RequestEnd.install(request)
  InterimResponses.install(request)
  RequestDeadline.install(request, { timeout: requestTimeout, isSlow: isSlow(line), isContent: hasContent })
  // First of all listeners: the others may begin to read.
  request.prependOnceListener("response", (response) => {
    if (!hasContent(response)) ResponseBound.install(response)
  })
}

/** Bounds the requests that an agent gets from now on. */
export const install = (agent: Http.Agent, rules: RequestRules): void => {
  const queue = agent as Http.Agent & RequestQueue
  const add = queue.addRequest.bind(agent)
  queue.addRequest = (request, ...options) => {
    bound(request, rules)
    add(request, ...options)
  }
}
