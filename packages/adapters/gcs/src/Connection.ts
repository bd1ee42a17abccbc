/**
 * Requests of the JSON API to one bucket, with a token, repeated where that is of use.
 */
import * as GuardedAgents from "@holdfast/outbound/GuardedAgents"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { IncomingMessage } from "node:http"
import * as Attempt from "./Attempt.ts"
import * as GcsFailure from "./GcsFailure.ts"
import type * as GcsOptions from "./GcsOptions.ts"
import type * as Tokens from "./Tokens.ts"
import * as Transport from "./Transport.ts"

export interface Request {
  readonly method: Transport.Request["method"]
  /** Beginning with a slash; names in it are encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: ReadonlyArray<Uint8Array> | undefined
  /** Statuses that are no failure besides the successes. */
  readonly accept?: ReadonlyArray<number> | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  /** Undefined where the body is no JSON. */
  readonly json: unknown
}

export interface Connection {
  readonly bucket: string
  readonly maxAttempts: number
  /** Makes a request once. When it is interrupted it is cut off, and has ended when the interruption has. */
  readonly once: (request: Request) => Effect.Effect<Answer, GcsFailure.GcsFailure>
  /** The same up to `maxAttempts` times while it fails in passing. */
  readonly call: (request: Request) => Effect.Effect<Answer, GcsFailure.GcsFailure>
  /** A request for an object's bytes, repeated before the first of them; what is left is cut off with the scope. */
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

export const defaultEndpoint = "https://storage.googleapis.com"

export const maxAttemptsOf = ({ maxAttempts = 3 }: GcsOptions.Limits): number => Math.max(1, maxAttempts)

/** Connections to whom the policy permits, ended with the scope. */
export const transport = (
  policy: GuardedAgents.Policy,
  limits: GcsOptions.Limits,
  maxSockets: number
): Effect.Effect<Transport.Transport, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => GuardedAgents.make(policy, { maxSockets })),
    (agents) =>
      Effect.sync(() => {
        agents.http.destroy()
        agents.https.destroy()
      })
  ).pipe(
    Effect.map((agents) => ({
      agents,
      connectMillis: Duration.toMillis(limits.connectTimeout ?? "5 seconds"),
      idleMillis: Duration.toMillis(limits.idleTimeout ?? "1 minute")
    }))
  )

/** A part of a path, also where the characters would be good in a URL as they are. */
export const encode = (name: string): string =>
  encodeURIComponent(name).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** What a bucket answers whose requests are paid by who asks, when nobody says who. */
const asksForPayer = ({ cause }: GcsFailure.GcsFailure): boolean =>
  cause instanceof GcsFailure.Refusal && cause.status === 400 && /requester pays/i.test(cause.message)

const isUnauthorized = ({ cause }: GcsFailure.GcsFailure): boolean =>
  cause instanceof GcsFailure.Refusal && cause.status === 401

const isSuccess = (status: number): boolean => status >= 200 && status < 300

export const make = ({ bucket, endpoint, maxAttempts, projectId, tokens, transport }: Settings): Connection => {
  let payer: string | undefined

  const url = ({ path, query = {} }: Request): URL => {
    const url = new URL(endpoint.href.replace(/\/$/, "") + path)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    if (payer !== undefined) url.searchParams.set("userProject", payer)
    return url
  }

  const head = async (request: Request, permit: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const headers = { ...permit, ...request.headers }
    const answer = await Transport.send(transport, { ...request, url: url(request), headers }, signal)
    const status = answer.statusCode ?? 0
    if (!isSuccess(status) && request.accept?.includes(status) !== true) throw await Transport.refusal(answer)
    return answer
  }

  const whole = async (answer: IncomingMessage): Promise<Answer> => {
    const json = Transport.json(await Transport.text(answer))
    return { status: answer.statusCode ?? 0, headers: answer.headers, json }
  }

  /** Runs a request with a token, and once more where another token or who pays is all that it lacks. */
  const permitted = <A, R>(
    run: (permit: Readonly<Record<string, string>>) => Effect.Effect<A, GcsFailure.GcsFailure, R>
  ): Effect.Effect<A, GcsFailure.GcsFailure, R> => {
    const attempt = Effect.flatMap(tokens.headers, run)
    return Effect.catch(attempt, (failure) => {
      if (isUnauthorized(failure)) return Effect.andThen(tokens.renew, attempt)
      if (!asksForPayer(failure) || projectId === undefined || payer !== undefined) return Effect.fail(failure)
      payer = projectId
      return attempt
    })
  }

  const once: Connection["once"] = (request) =>
    permitted((permit) => Attempt.once((signal) => head(request, permit, signal).then(whole)))

  return {
    bucket,
    maxAttempts,
    once,
    call: (request) => Attempt.repeated(maxAttempts)(once(request)),
    open: (request) =>
      Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      ).pipe(
        Effect.flatMap(({ signal }) =>
          permitted((permit) =>
            Effect.tryPromise({ try: () => head(request, permit, signal), catch: GcsFailure.of })
          ).pipe(Attempt.repeated(maxAttempts))
        )
      )
  }
}
