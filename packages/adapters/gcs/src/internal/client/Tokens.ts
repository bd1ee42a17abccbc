/**
 * Access tokens, and the headers of requests that carry them.
 */
import * as AbortableRequest from "@holdfast/outbound/AbortableRequest"
import { property } from "@holdfast/outbound/Property"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as GcsFailure from "../GcsFailure.ts"
import * as Retry from "./Retry.ts"
import * as ServiceAccount from "./ServiceAccount.ts"
import * as Transport from "./Transport.ts"

export type Headers = Readonly<Record<string, string>>

/** A source of access tokens. */
export interface Tokens {
  /** Returns the headers that authorize a request. */
  readonly headers: Effect.Effect<Headers, GcsFailure.GcsFailure>
  /** Drops the token that the service did not accept. The next request gets another one. */
  readonly invalidate: Effect.Effect<void>
}

interface Token {
  readonly value: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** A token is not used in the last minute of its validity, so that it does not expire in transit. */
const marginMillis = 60_000

const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

/**
 * Classifies an error of the token endpoint, whose JSON differs from that of the storage API (RFC 6749, section 5.2).
 */
const toFailure = (status: number, body: unknown): GcsFailure.GcsFailure => {
  const error = property(body, "error")
  const description = property(body, "error_description")
  const message = [error, description].filter((text) => typeof text === "string").join(": ")
  const failure = GcsFailure.fromCause(new GcsFailure.ErrorResponse(status, "", message === "" ? "no token" : message))
  // A 400 concerns the assertion, and therefore the credentials.
  const isDenied = failure.kind === "Invalid" || status === 404
  return isDenied ? GcsFailure.withKind(failure, "Denied") : failure
}

/** Exchanges an assertion for a token. */
const requestToken = async (
  transport: Transport.Transport,
  url: URL,
  assertion: string,
  signal: AbortSignal
): Promise<{ readonly value: string; readonly seconds: number }> => {
  const form = new URLSearchParams({ grant_type: grantType, assertion }).toString()
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" }
  const response = await Transport.send(transport, { method: "POST", url, headers, body: [Buffer.from(form)] }, signal)
  const body = Transport.parseJson(await Transport.readText(response))
  if (response.statusCode !== 200) throw toFailure(response.statusCode ?? 0, body)
  const value = property(body, "access_token")
  const seconds = property(body, "expires_in")
  // A token that does not fit into a header is not valid.
  if (typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value) || typeof seconds !== "number") {
    throw GcsFailure.unexpected("the token endpoint returned no token")
  }
  return { value, seconds }
}

/** Makes the tokens of a service account. Requests one token at a time, and reuses it until it expires. */
export const ofAccount = (
  transport: Transport.Transport,
  account: ServiceAccount.ServiceAccount,
  maxAttempts: number
): Tokens => {
  const requesting = Semaphore.makeUnsafe(1)
  let current: Token | undefined
  const get = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (current !== undefined && now < current.expiresAt - marginMillis) return current
    const assertion = ServiceAccount.makeAssertion(account, now)
    const { seconds, value } = yield* AbortableRequest.call(
      (signal) => requestToken(transport, account.tokenUri, assertion, signal),
      GcsFailure.fromCause
    ).pipe(Retry.upTo(maxAttempts))
    current = { value, expiresAt: now + seconds * 1000 }
    return current
  }).pipe(requesting.withPermits(1))
  return {
    headers: Effect.map(get, ({ value }) => ({ authorization: `Bearer ${value}` })),
    invalidate: Effect.sync(() => void (current = undefined))
  }
}

/**
 * Makes the tokens of the account that Google's library finds: in the environment's document, the machine, or the
 * workload. The library is loaded here. It requests tokens over its own connections.
 */
export const ofEnvironment = (url: URL): Effect.Effect<Tokens> =>
  Effect.map(
    Effect.promise(() => import("google-auth-library")),
    ({ GoogleAuth }) => {
      let auth = new GoogleAuth({ scopes: [ServiceAccount.scope] })
      return {
        headers: Effect.tryPromise({
          try: async () => Object.fromEntries(await auth.getRequestHeaders(url)),
          catch: (cause) => {
            const { kind } = GcsFailure.fromCause(cause)
            const message = "The environment's credentials returned no token."
            return new GcsFailure.GcsFailure({ kind: kind === "Unavailable" ? kind : "Denied", message, cause })
          }
        }),
        // The library caches an account in the object, so that another object has no cached token.
        invalidate: Effect.sync(() => void (auth = new GoogleAuth({ scopes: [ServiceAccount.scope] })))
      }
    }
  )
