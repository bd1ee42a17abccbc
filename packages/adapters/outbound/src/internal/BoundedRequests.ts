/**
 * Bounds every request that an agent sends, whichever client makes it.
 */
import type * as Http from "node:http"
import type { RequestRules } from "../RequestRules.ts"
import * as ResponseBound from "./ResponseBound.ts"

/** The method by which Node's HTTP client gives a request to its agent. Node's types leave it out. */
interface RequestQueue {
  addRequest: (request: Http.ClientRequest, ...options: ReadonlyArray<unknown>) => void
}

const bound = (request: Http.ClientRequest, { isContent = () => false }: RequestRules): void => {
  const { method, path } = request
  // First of all listeners: the others may begin to read.
  request.prependOnceListener("response", (response) => {
    if (!ResponseBound.isSuccess(response) || !isContent({ method, path })) ResponseBound.install(response)
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
