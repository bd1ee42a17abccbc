/**
 * Requests of the JSON API to one bucket, with a token and with retries, as effects that fail with `GcsFailure`.
 */
import * as AbortableRequest from "@holdfast/outbound/AbortableRequest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { IncomingMessage } from "node:http"
import * as GcsFailure from "../GcsFailure.ts"
import * as Retry from "./Retry.ts"
import type * as Tokens from "./Tokens.ts"
import * as Transport from "./Transport.ts"

/** A request of the JSON API. */
export interface Request {
  readonly method: Transport.Request["method"]
  /** Begins with a slash. Names in it are encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: ReadonlyArray<Uint8Array> | undefined
  /** Statuses that count as success besides 2xx. */
  readonly accept?: ReadonlyArray<number> | undefined
}

/** A response that was read to its end. */
export interface Response {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  /** Undefined when the body is not JSON. */
  readonly json: unknown
}

/** A client of one bucket. */
export interface Connection {
  readonly bucket: string
  readonly maxAttempts: number
  /** Makes a request once, as `AbortableRequest.call`. */
  readonly callOnce: (request: Request) => Effect.Effect<Response, GcsFailure.GcsFailure>
  /** Makes a request, up to `maxAttempts` times while it fails temporarily. */
  readonly call: (request: Request) => Effect.Effect<Response, GcsFailure.GcsFailure>
  /** Requests an object's bytes, as `AbortableRequest.open`. Retries until the head of the response has arrived. */
  readonly open: (request: Request) => Effect.Effect<IncomingMessage, GcsFailure.GcsFailure, Scope.Scope>
}

export interface Settings {
  readonly bucket: string
  /** Without a slash at its end. */
  readonly endpoint: URL
  readonly transport: Transport.Transport
  readonly tokens: Tokens.Tokens
  readonly maxAttempts: number
  readonly projectId: string | undefined
}

/** The endpoint of Google's public service. */
export const defaultEndpoint = "https://storage.googleapis.com"

/** Encodes a segment of a path, including the characters that a URL would permit as they are. */
export const encodeSegment = (name: string): string =>
  encodeURIComponent(name).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** Returns whether a bucket with "requester pays" answered a request that names no project to pay for it. */
const requiresPayer = ({ cause }: GcsFailure.GcsFailure): boolean =>
  cause instanceof GcsFailure.ErrorResponse && cause.status === 400 && /requester pays/i.test(cause.message)

const isUnauthorized = ({ cause }: GcsFailure.GcsFailure): boolean =>
  cause instanceof GcsFailure.ErrorResponse && cause.status === 401

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** Makes a client. Makes no request. */
export const make = ({ bucket, endpoint, maxAttempts, projectId, tokens, transport }: Settings): Connection => {
  let payer: string | undefined

  const toUrl = ({ path, query = {} }: Request): URL => {
    const url = new URL(endpoint.href.replace(/\/$/, "") + path)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    if (payer !== undefined) url.searchParams.set("userProject", payer)
    return url
  }

  const sendHead = async (request: Request, authorization: Tokens.Headers, signal: AbortSignal) => {
    const headers = { ...authorization, ...request.headers }
    const response = await Transport.send(transport, { ...request, url: toUrl(request), headers }, signal)
    const status = response.statusCode ?? 0
    if (!isSuccess(status) && request.accept?.includes(status) !== true) throw await Transport.readError(response)
    return response
  }

  const readAll = async (response: IncomingMessage): Promise<Response> => {
    const json = Transport.parseJson(await Transport.readText(response))
    return { status: response.statusCode ?? 0, headers: response.headers, json }
  }

  /** Makes a request with a token, and once more when it lacks only a valid token or the project that pays. */
  const authorized = <A, R>(
    run: (authorization: Tokens.Headers) => Effect.Effect<A, GcsFailure.GcsFailure, R>
  ): Effect.Effect<A, GcsFailure.GcsFailure, R> => {
    const attempt = Effect.flatMap(tokens.headers, run)
    return Effect.catch(attempt, (failure) => {
      if (isUnauthorized(failure)) return Effect.andThen(tokens.invalidate, attempt)
      if (!requiresPayer(failure) || projectId === undefined || payer !== undefined) return Effect.fail(failure)
      payer = projectId
      return attempt
    })
  }

  const callOnce: Connection["callOnce"] = (request) =>
    authorized((authorization) =>
      AbortableRequest.call((signal) => sendHead(request, authorization, signal).then(readAll), GcsFailure.fromCause)
    )

  return {
    bucket,
    maxAttempts,
    callOnce,
    call: (request) => Retry.upTo(maxAttempts)(callOnce(request)),
    open: (request) =>
      Effect.flatMap(AbortableRequest.scopedSignal, (signal) =>
        authorized((authorization) =>
          Effect.tryPromise({
            try: () => sendHead(request, authorization, signal),
            catch: GcsFailure.fromCause
          })
        ).pipe(Retry.upTo(maxAttempts))
      )
  }
}
