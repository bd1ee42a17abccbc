/**
 * Sends a body to a service and returns the status of its response, and nothing else of it.
 */
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import * as Https from "node:https"
import type { Agents } from "./GuardedAgents.ts"
import * as RequestEnd from "./internal/RequestEnd.ts"
import { property } from "./Property.ts"
import { RequestTimedOut } from "./RequestTimedOut.ts"

export interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
  /** How long the request may take until the status is known, in milliseconds. */
  readonly timeout: number
}

export interface PostResponse {
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
}

/** The bytes and the milliseconds that the rest of a response may take for its connection to be used again. */
const drain = { bytes: 16 * 1024, millis: 1000 }

/** Drops the body of a response. Closes the connection instead when the body is large or slow. */
const discard = (response: Http.IncomingMessage, done: () => void): void => {
  let received = 0
  const timer = setTimeout(() => response.destroy(), drain.millis)
  response.on("data", (chunk: Uint8Array) => {
    received += chunk.byteLength
    if (received > drain.bytes) response.destroy()
  })
  // The status has been received, so that the request has succeeded.
  response.on("error", () => {})
  response.once("close", () => {
    clearTimeout(timer)
    done()
  })
}

/** Whether the service closed an idle connection at the moment when it was used again. The request was not processed. */
const isStale = (request: Http.ClientRequest, cause: unknown): boolean => {
  const code = property(cause, "code")
  return request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE")
}

type AttemptResult = PostResponse | { readonly cause: unknown; readonly isStale: boolean }

/** Makes one request. Calls `onEnd` once, whatever events the request emits. Returns a function that aborts the request. */
const attempt = (
  agents: Agents,
  { body, headers, timeout, url }: PostRequest,
  onEnd: (result: AttemptResult) => void
): (() => void) => {
  const isSecure = url.startsWith("https:")
  const options = {
    method: "POST",
    agent: isSecure ? agents.https : agents.http,
    headers: { ...headers, "content-length": Buffer.byteLength(body) }
  }
  const request = isSecure ? Https.request(url, options) : Http.request(url, options)
  // The agents may be others than guarded ones.
  RequestEnd.install(request)
  let hasEnded = false
  const end = (result: AttemptResult) => {
    clearTimeout(timer)
    if (hasEnded) return
    hasEnded = true
    onEnd(result)
  }
  const timer = setTimeout(() => {
    const cause = new RequestTimedOut({ timeout })
    request.destroy(cause)
    // A request that is destroyed already emits no error.
    end({ cause, isStale: false })
  }, timeout)
  request.once("response", (response) => {
    clearTimeout(timer)
    const { headers, statusCode = 0 } = response
    discard(response, () => end({ status: statusCode, headers }))
  })
  request.on("error", (cause) => end({ cause, isStale: isStale(request, cause) }))
  request.end(body)
  return () => {
    clearTimeout(timer)
    request.destroy()
  }
}

/**
 * Sends a POST request by the agents. Redirects are not followed. Fails with the error of the request, which may be an
 * `AddressRefused`, a `RequestTimedOut` or an `UnexpectedResponse`.
 */
export const send = (agents: Agents, request: PostRequest): Effect.Effect<PostResponse, { readonly cause: unknown }> =>
  Effect.callback((resume) => {
    const deadline = performance.now() + request.timeout
    let abort = attempt(agents, request, (result) => {
      if ("status" in result) return resume(Effect.succeed(result))
      if (!result.isStale) return resume(Effect.fail({ cause: result.cause }))
      const timeout = Math.max(1, deadline - performance.now())
      abort = attempt(agents, { ...request, timeout }, (second) =>
        resume("status" in second ? Effect.succeed(second) : Effect.fail({ cause: second.cause }))
      )
    })
    return Effect.sync(() => abort())
  })
