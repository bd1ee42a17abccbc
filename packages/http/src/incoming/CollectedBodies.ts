/**
 * The requests whose bodies are collected in memory before they are used, such as JSON and XML. A client that sends one slowly occupies that
 * memory. Contents are not collected, and small bodies do not count.
 */
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { IncomingMessage } from "node:http"
import * as NodeRequest from "./NodeRequest.ts"

const collected = new WeakSet<IncomingMessage>()

/** Notes that the body of a request is collected. To be called before it is read. */
export const add = (request: HttpServerRequest.HttpServerRequest): void => {
  const message = NodeRequest.find(request)?.message
  if (message !== undefined) collected.add(message)
}

export const has = (message: IncomingMessage): boolean => collected.has(message)
