/**
 * What a request is permitted by: the headers that carry a token.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Attempt from "./Attempt.ts"
import * as GcsFailure from "./GcsFailure.ts"
import * as ServiceAccount from "./ServiceAccount.ts"
import * as Transport from "./Transport.ts"

export interface Tokens {
  readonly headers: Effect.Effect<Readonly<Record<string, string>>, GcsFailure.GcsFailure>
  /** The service did not take the last headers: others are asked for next time. */
  readonly renew: Effect.Effect<void>
}

interface Token {
  readonly value: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** A token is not used in the last part of its life, so that it does not end on its way. */
const marginMillis = 60_000

const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

/** Refused as the token endpoint does it (RFC 6749, section 5.2): in a shape of its own. */
const refused = (status: number, body: unknown): GcsFailure.GcsFailure => {
  const error = Transport.property(body, "error")
  const description = Transport.property(body, "error_description")
  const told = [error, description].filter((word) => typeof word === "string").join(": ")
  const failure = GcsFailure.of(new GcsFailure.Refusal(status, "", told === "" ? "no token" : told))
  // A 400 is about the assertion, thus about the credentials.
  const isDenied = failure.kind === "Invalid" || status === 404
  return isDenied ? GcsFailure.as(failure, "Denied") : failure
}

const exchange = async (
  transport: Transport.Transport,
  url: URL,
  assertion: string,
  signal: AbortSignal
): Promise<{ readonly value: string; readonly seconds: number }> => {
  const form = new URLSearchParams({ grant_type: grantType, assertion }).toString()
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" }
  const answer = await Transport.send(transport, { method: "POST", url, headers, body: [Buffer.from(form)] }, signal)
  const body = Transport.json(await Transport.text(answer))
  if (answer.statusCode !== 200) throw refused(answer.statusCode ?? 0, body)
  const value = Transport.property(body, "access_token")
  const seconds = Transport.property(body, "expires_in")
  // What would not fit into a header is no token either.
  if (typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value) || typeof seconds !== "number") {
    throw GcsFailure.unexpected("the token endpoint gave no token")
  }
  return { value, seconds }
}

/** Tokens of a service account. One is asked for at a time, and kept while it lives. */
export const ofAccount = (
  transport: Transport.Transport,
  account: ServiceAccount.ServiceAccount,
  maxAttempts: number
): Tokens => {
  const turn = Semaphore.makeUnsafe(1)
  let kept: Token | undefined
  const fresh = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (kept !== undefined && now < kept.expiresAt - marginMillis) return kept
    const assertion = ServiceAccount.assertion(account, now)
    const { seconds, value } = yield* Attempt.once((signal) =>
      exchange(transport, account.tokenUri, assertion, signal)
    ).pipe(Attempt.repeated(maxAttempts))
    kept = { value, expiresAt: now + seconds * 1000 }
    return kept
  }).pipe(turn.withPermits(1))
  return {
    headers: Effect.map(fresh, ({ value }) => ({ authorization: `Bearer ${value}` })),
    renew: Effect.sync(() => void (kept = undefined))
  }
}

/**
 * Tokens of whatever account Google's library finds: that of the environment's document, of the machine, of the workload.
 * The library is loaded here, and asks for them over connections of its own.
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
            const { kind } = GcsFailure.of(cause)
            const detail = "The environment's credentials gave no token."
            return new GcsFailure.GcsFailure({ kind: kind === "Unavailable" ? kind : "Denied", detail, cause })
          }
        }),
        // What is kept of an account ends with the object that keeps it.
        renew: Effect.sync(() => void (auth = new GoogleAuth({ scopes: [ServiceAccount.scope] })))
      }
    }
  )
