/**
 * Creates, shows and revokes the S3 credentials of API tokens, and finds them for the S3 API. Each token has at most one. What they
 * permit is what the token permits, as long as it is valid.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import { Access, type AccessError, type Identity, limitsOf, tokenOf } from "../access/Access.ts"
import { HostLimits } from "../access/HostLimits.ts"
import { isFresh } from "../access/internal/CacheLifetime.ts"
import * as Scope from "../access/Scope.ts"
import * as Actor from "../Actor.ts"
import { Forbidden, InvalidRequest, NotFound } from "../Errors.ts"
import { by } from "../events/EventAuthor.ts"
import * as Ids from "../Ids.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Permission } from "../Permission.ts"
import { keyRemedy, SecretBox } from "../secrets/SecretBox.ts"
import { Settings } from "../Settings.ts"
import { StorageRoom } from "../StorageRoom.ts"
import * as S3Credential from "./S3Credential.ts"
import type { Token } from "./Token.ts"
import { TokenRepository } from "./TokenRepository.ts"

/** The signer of a request to the S3 API, if its signature is right. */
export interface S3Signer {
  readonly actor: Actor.Actor
  readonly tenantId: string
  readonly secret: Redacted.Redacted
}

export class S3Credentials extends Context.Service<
  S3Credentials,
  {
    /**
     * Creates the credentials of a token, in place of former ones, which end at once. The result is the only place where the secret key
     * is shown. Fails with `InvalidRequest` for a token that is revoked or has expired, and with `Forbidden` when the actor presents a
     * token that is limited more than this one.
     */
    readonly create: (
      actor: Actor.Actor,
      tenantId: string,
      tokenId: string
    ) => Effect.Effect<S3Credential.CreatedS3Credentials, AccessError | InvalidRequest | NotFound>

    /** Returns the credentials of a token, without the secret key. Fails with `NotFound` when it has none. */
    readonly get: (
      actor: Actor.Actor,
      tenantId: string,
      tokenId: string
    ) => Effect.Effect<S3Credential.S3Credentials, AccessError | NotFound>

    /** Revokes the credentials of a token. The token itself stays valid. */
    readonly revoke: (
      actor: Actor.Actor,
      tenantId: string,
      tokenId: string
    ) => Effect.Effect<void, AccessError | NotFound>

    /**
     * Finds the signer with an access key. None when there are no such credentials. A look-up is cached for at most one second. The
     * caller checks the signature, and then the actor, whose token may be revoked or have expired.
     */
    readonly findSigner: (accessKeyId: string) => Effect.Effect<Option.Option<S3Signer>, MetadataError>
  }
>()("@holdfast/core/tokens/S3Credentials") {}

const missingToken = new NotFound({ resource: "token" })
const missing = new NotFound({ resource: "S3 credential" })

/** Bytes of a secret key: 40 characters, as many as those of Amazon have. */
const secretBytes = 30

/** The most cached look-ups. Requests with many different access keys must not grow the process. */
const capacity = 10_000

const tooLimited = new Forbidden(
  "An API token creates S3 credentials only for itself, or, without a scope and origins of its own, for tokens that expire no later. Use another key."
)

const beyondHost = new Forbidden(
  "The scope of the token has more permissions than the host of this API gives its users. Use a token whose scope has no others."
)

const noSecretKey = InvalidRequest.at(
  "",
  `this deployment has no secret key to encrypt S3 credentials with. ${keyRemedy}`
)

/** Whether an actor has at least the rights of a token. Otherwise it would get them with the credentials. */
const covers = (identity: Identity, token: Token): boolean => {
  const own = tokenOf(identity)
  if (own === undefined || own.id === token.id) return true
  const { allowedOrigins, scope } = limitsOf(identity)
  if (scope !== null || allowedOrigins !== null || identity === "system") return false
  const expiresAt = identity.credential?.expiresAt ?? null
  if (expiresAt === null) return true
  return token.expiresAt !== null && DateTime.toEpochMillis(token.expiresAt) <= DateTime.toEpochMillis(expiresAt)
}

/** Whether a host gives all permissions of a token. Otherwise an actor would get further ones with the credentials. */
const isWithinHost = ({ scope }: Token, host: ReadonlyArray<Permission> | undefined): boolean =>
  host === undefined || Scope.excessOf(scope ?? {}, { permissions: host }).length === 0

interface CacheEntry {
  readonly signer: S3Signer
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* TokenRepository
  const box = yield* SecretBox
  const random = yield* SecureRandom
  const room = yield* StorageRoom
  const settings = yield* Settings
  const lifetime = Math.min(1000, Duration.toMillis(settings.accessCache))
  const cache = new Map<string, CacheEntry>()
  /** Secrets by their sealed text, which is opened once. */
  const opened = new Map<string, Redacted.Redacted>()
  let generation = 0

  const clearCache = Effect.sync(() => {
    generation++
    cache.clear()
  })

  const findToken = Effect.fnUntraced(function* (actor: Actor.Actor, tenantId: string, tokenId: string) {
    const identity = yield* access.require(actor, tenantId, "token:manage")
    if (!Ids.is("tok", tokenId)) return yield* missingToken
    const token = yield* NotFound.whenNone(repository.find(tenantId, tokenId), missingToken)
    return { identity, token }
  })

  const open = Effect.fnUntraced(function* (tokenId: string, sealed: string) {
    const known = opened.get(sealed)
    if (known !== undefined) return known
    const secret = yield* Effect.catch(box.open(sealed, tokenId), ({ reason }) =>
      Effect.as(
        Effect.annotateLogs(Effect.logWarning("S3 secret not opened; create the credentials again"), {
          tokenId,
          reason
        }),
        undefined
      )
    )
    if (secret === undefined) return undefined
    if (opened.size >= capacity) opened.clear()
    opened.set(sealed, secret)
    return secret
  })

  const lookUp = Effect.fnUntraced(function* (accessKeyId: string, now: number) {
    const tokenId = S3Credential.tokenIdOf(accessKeyId)
    if (tokenId === undefined) return Option.none<S3Signer>()
    const startedIn = generation
    const found = yield* repository.findS3Secret(tokenId)
    if (Option.isNone(found)) return Option.none<S3Signer>()
    const { hash, sealed, tenantId } = found.value
    const secret = yield* open(tokenId, sealed)
    if (secret === undefined) return Option.none<S3Signer>()
    const signer = { actor: Actor.key(hash), tenantId, secret }
    // A result whose look-up began before a change may be stale already.
    if (lifetime > 0 && startedIn === generation) {
      if (cache.size >= capacity) cache.clear()
      cache.set(accessKeyId, { signer, expiresAt: now + lifetime })
    }
    return Option.some(signer)
  })

  return S3Credentials.of({
    create: Effect.fn("S3Credentials.create")(function* (actor, tenantId, tokenId) {
      const { identity, token } = yield* findToken(actor, tenantId, tokenId)
      if (!covers(identity, token)) return yield* tooLimited
      const isOwn = tokenOf(identity)?.id === token.id
      if (!isOwn && !isWithinHost(token, (yield* HostLimits)?.permissions)) return yield* beyondHost
      const now = yield* DateTime.now
      const isExpired =
        token.expiresAt !== null && DateTime.toEpochMillis(token.expiresAt) <= DateTime.toEpochMillis(now)
      if (token.revokedAt !== null || isExpired) {
        return yield* InvalidRequest.at("", "the token is revoked or has expired; create another token")
      }
      yield* room.forRecord
      const secret = Base64Url.encode(yield* random.randomBytes(secretBytes))
      const sealed = yield* Effect.mapError(box.seal(Redacted.make(secret), tokenId), () => noSecretKey)
      const stored = yield* by(identity)(repository.putS3Secret({ tenantId, tokenId, sealed, at: now }))
      if (!stored) return yield* missingToken
      yield* clearCache
      return { accessKeyId: S3Credential.accessKeyOf(tokenId), createdAt: now, secretAccessKey: secret }
    }),

    get: Effect.fn("S3Credentials.get")(function* (actor, tenantId, tokenId) {
      yield* findToken(actor, tenantId, tokenId)
      const createdAt = yield* NotFound.whenNone(repository.findS3SecretTime(tenantId, tokenId), missing)
      return { accessKeyId: S3Credential.accessKeyOf(tokenId), createdAt }
    }),

    revoke: Effect.fn("S3Credentials.revoke")(function* (actor, tenantId, tokenId) {
      const { identity } = yield* findToken(actor, tenantId, tokenId)
      if (!(yield* by(identity)(repository.removeS3Secret({ tenantId, tokenId })))) return yield* missing
      yield* clearCache
    }),

    findSigner: (accessKeyId) =>
      Effect.withFiber((fiber) => {
        const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
        const entry = cache.get(accessKeyId)
        return entry !== undefined && isFresh(entry.expiresAt, now, lifetime)
          ? Effect.succeedSome(entry.signer)
          : lookUp(accessKeyId, now)
      })
  })
})

export const layer: Layer.Layer<S3Credentials, never, Access | TokenRepository | SecretBox | SecureRandom> =
  Layer.effect(S3Credentials, make)
