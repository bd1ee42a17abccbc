/**
 * Requests to a bucket of a remote service, with Node's own HTTP client: it streams bodies from and to files without
 * keeping them in memory.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import * as Https from "node:https"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

/** The service refused a request or was not reached. The message is meant for the user. */
export class RemoteError extends Data.TaggedError("RemoteError")<{ readonly message: string }> {}

export interface RemoteBucket {
  /** The URL of the service, with or without `/api/v1`. */
  readonly url: URL
  readonly key: Redacted.Redacted
  readonly tenantId: string
  readonly bucketId: string
}

export interface RemoteRequest {
  readonly method: "GET" | "POST"
  /** The path below the bucket's files, such as `/upload`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A body with as many bytes as the header `content-length` says. */
  readonly body?: Readable
}

/** Milliseconds to wait for `100 Continue` before the body is sent anyway: an old proxy may drop it. */
const continueTimeout = 2000

/** Maximum bytes of a response that is not the content of a file. */
const maxTextBytes = 1024 * 1024

const urlOf = ({ bucketId, tenantId, url }: RemoteBucket, path: string): URL => {
  const base = url.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, "")
  const files = `/api/v1/tenants/${encodeURIComponent(tenantId)}/buckets/${encodeURIComponent(bucketId)}/files`
  return new URL(`${base}${files}${path}`, url)
}

const unreachable = (url: URL) => (cause: unknown) =>
  new RemoteError({
    message: `${url.origin} did not complete the request: ${cause instanceof Error ? cause.message || String(cause) : String(cause)}`
  })

/** Sends a request. Returns the response with any status; its body can be read until the scope closes. */
export const send = Effect.fnUntraced(function* (
  bucket: RemoteBucket,
  request: RemoteRequest
): Effect.fn.Return<Http.IncomingMessage, RemoteError, Scope.Scope> {
  const { body, headers, method, path } = request
  const url = urlOf(bucket, path)
  const outgoing = yield* Effect.acquireRelease(
    Effect.sync(() =>
      (url.protocol === "https:" ? Https : Http).request(url, {
        method,
        headers: {
          authorization: `Bearer ${Redacted.value(bucket.key)}`,
          ...headers,
          ...(body === undefined ? undefined : { expect: "100-continue" })
        }
      })
    ),
    (acquired) => Effect.sync(() => void acquired.destroy())
  )
  return yield* Effect.callback<Http.IncomingMessage, RemoteError>((resume) => {
    const onError = (cause: unknown) => resume(Effect.fail(unreachable(url)(cause)))
    // A response may arrive before the body is sent completely. It is final nevertheless.
    outgoing.once("response", (response) => resume(Effect.succeed(response)))
    outgoing.on("error", onError)
    if (body === undefined) return void outgoing.end()
    let hasBegun = false
    const begin = () => {
      if (hasBegun || outgoing.destroyed) return
      hasBegun = true
      clearTimeout(timer)
      pipeline(body, outgoing).catch(onError)
    }
    const timer = setTimeout(begin, continueTimeout)
    outgoing.once("continue", begin)
    outgoing.once("response", () => clearTimeout(timer))
    outgoing.flushHeaders()
    return Effect.sync(() => {
      clearTimeout(timer)
      body.destroy()
    })
  })
})

/** Reads the body of a response as text. */
export const readText = (response: Http.IncomingMessage): Effect.Effect<string, RemoteError> =>
  Effect.tryPromise({
    try: async () => {
      const chunks: Array<Buffer> = []
      let size = 0
      for await (const chunk of response) {
        size += chunk.length
        if (size > maxTextBytes) throw new Error("the response is too long")
        chunks.push(chunk)
      }
      return Buffer.concat(chunks).toString("utf8")
    },
    catch: (cause) => new RemoteError({ message: `The response could not be read: ${String(cause)}` })
  })

/** Returns the detail and the code of a problem, or undefined for any other body. */
const problemText = (body: string): string | undefined => {
  try {
    const problem: unknown = JSON.parse(body)
    if (typeof problem !== "object" || problem === null) return undefined
    const { code, detail } = problem as { readonly code?: unknown; readonly detail?: unknown }
    return typeof detail === "string" ? `${detail}${typeof code === "string" ? ` (${code})` : ""}` : undefined
  } catch {
    return undefined
  }
}

/** Returns the response if it has this status. Fails with the problem in its body otherwise. */
export const expectStatus = (
  response: Http.IncomingMessage,
  status: number
): Effect.Effect<Http.IncomingMessage, RemoteError> =>
  response.statusCode === status
    ? Effect.succeed(response)
    : Effect.flatMap(readText(response), (body) =>
        Effect.fail(
          new RemoteError({
            message: `The service answered ${response.statusCode}: ${problemText(body) ?? Http.STATUS_CODES[response.statusCode ?? 0] ?? "unknown status"}`
          })
        )
      )
