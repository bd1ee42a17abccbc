/**
 * A bucket of a service elsewhere, and requests to it. Node's own client: a body is streamed from and to files, and
 * never held.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import * as Https from "node:https"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

/** What the service refused, or why it was not reached; for the user's eyes. */
export class RemoteError extends Data.TaggedError("RemoteError")<{ readonly message: string }> {}

export interface RemoteBucket {
  /** The service's address, with or without `/api/v1`. */
  readonly url: URL
  readonly key: Redacted.Redacted
  readonly tenant: string
  readonly bucket: string
}

export interface RemoteRequest {
  readonly method: "GET" | "POST"
  /** Below the bucket's files, such as `/upload`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Of as many bytes as the `content-length` header says. */
  readonly body?: Readable
}

/** Milliseconds to wait for a `100 Continue`, which an old proxy in between may swallow. */
const continueWithin = 2000

/** The most that is read of an answer which is no file. */
const maxAnswer = 1024 * 1024

const addressOf = ({ bucket, tenant, url }: RemoteBucket, path: string): URL => {
  const base = url.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, "")
  const files = `/api/v1/tenants/${encodeURIComponent(tenant)}/buckets/${encodeURIComponent(bucket)}/files`
  return new URL(`${base}${files}${path}`, url)
}

const unreachable = (url: URL) => (cause: unknown) =>
  new RemoteError({
    message: `${url.origin} did not complete the request: ${cause instanceof Error ? cause.message || String(cause) : String(cause)}`
  })

/** Sends a request; the answer's head, whatever its status. Until the scope closes the body can be read. */
export const send = (
  bucket: RemoteBucket,
  outgoing: RemoteRequest
): Effect.Effect<Http.IncomingMessage, RemoteError, Scope.Scope> =>
  Effect.gen(function* () {
    const { body, headers, method, path } = outgoing
    const url = addressOf(bucket, path)
    const request = yield* Effect.acquireRelease(
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
      (opened) => Effect.sync(() => void opened.destroy())
    )
    return yield* Effect.callback<Http.IncomingMessage, RemoteError>((resume) => {
      const failed = (cause: unknown) => resume(Effect.fail(unreachable(url)(cause)))
      // An answer that comes before the body has gone is the answer.
      request.once("response", (response) => resume(Effect.succeed(response)))
      request.on("error", failed)
      if (body === undefined) return void request.end()
      let isBegun = false
      const begin = () => {
        if (isBegun || request.destroyed) return
        isBegun = true
        clearTimeout(timer)
        pipeline(body, request).catch(failed)
      }
      const timer = setTimeout(begin, continueWithin)
      request.once("continue", begin)
      request.once("response", () => clearTimeout(timer))
      request.flushHeaders()
      return Effect.sync(() => {
        clearTimeout(timer)
        body.destroy()
      })
    })
  })

/** The body of an answer as text. */
export const readText = (response: Http.IncomingMessage): Effect.Effect<string, RemoteError> =>
  Effect.tryPromise({
    try: async () => {
      const chunks: Array<Buffer> = []
      let size = 0
      for await (const chunk of response) {
        size += chunk.length
        if (size > maxAnswer) throw new Error("the answer is too long")
        chunks.push(chunk)
      }
      return Buffer.concat(chunks).toString("utf8")
    },
    catch: (cause) => new RemoteError({ message: `The answer could not be read: ${String(cause)}` })
  })

const detailOf = (body: string): string | undefined => {
  try {
    const problem: unknown = JSON.parse(body)
    if (typeof problem !== "object" || problem === null) return undefined
    const { code, detail } = problem as { readonly code?: unknown; readonly detail?: unknown }
    return typeof detail === "string" ? `${detail}${typeof code === "string" ? ` (${code})` : ""}` : undefined
  } catch {
    return undefined
  }
}

/** An answer of this status; any other fails with what the service says of it. */
export const expectStatus = (
  response: Http.IncomingMessage,
  status: number
): Effect.Effect<Http.IncomingMessage, RemoteError> =>
  response.statusCode === status
    ? Effect.succeed(response)
    : Effect.flatMap(readText(response), (body) =>
        Effect.fail(
          new RemoteError({
            message: `The service answered ${response.statusCode}: ${detailOf(body) ?? Http.STATUS_CODES[response.statusCode ?? 0] ?? "no more is known"}`
          })
        )
      )
