/**
 * Creates, lists and revokes the API tokens of a tenant. Requires `token:manage`, which only Admins have, because a token
 * has the permissions of its member.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Digest } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError } from "../access/Access.ts"
import * as ApiKey from "../access/ApiKey.ts"
import type { Actor } from "../Actor.ts"
import { type InvalidCursor, InvalidRequest, NotFound, type QuotaExceeded } from "../Errors.ts"
import { by } from "../events/EventAuthor.ts"
import * as Ids from "../Ids.ts"
import * as Creator from "../access/Creator.ts"
import * as Page from "../Page.ts"
import { withinQuota } from "../quotas/CurrentQuota.ts"
import { Settings } from "../Settings.ts"
import { StorageRoom } from "../StorageRoom.ts"
import * as TokenExpiry from "./internal/TokenExpiry.ts"
import * as TokenLimits from "./internal/TokenLimits.ts"
import * as Token from "./Token.ts"
import { TokenRepository } from "./TokenRepository.ts"

export class Tokens extends Context.Service<
  Tokens,
  {
    /**
     * Creates a token for a member. The result is the only place where the key is shown. Fails with `InvalidRequest` when the
     * token would expire after `Settings.tokenLifetime` or after the token that the actor presents, and when its scope or its
     * origins would be wider than those of this token.
     */
    readonly create: (
      actor: Actor,
      tenantId: string,
      input: Token.CreateToken
    ) => Effect.Effect<Token.CreatedToken, AccessError | InvalidRequest | QuotaExceeded>

    /** Lists a tenant's tokens, ordered by id, with revoked and expired ones. */
    readonly list: (
      actor: Actor,
      tenantId: string,
      page: Page.Request
    ) => Effect.Effect<Page.Page<Token.Token>, AccessError | InvalidRequest | InvalidCursor>

    readonly get: (
      actor: Actor,
      tenantId: string,
      tokenId: string
    ) => Effect.Effect<Token.Token, AccessError | NotFound>

    /** Revokes a token permanently. Lists still include it. */
    readonly revoke: (actor: Actor, tenantId: string, tokenId: string) => Effect.Effect<void, AccessError | NotFound>
  }
>()("@holdfast/core/tokens/Tokens") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const room = yield* StorageRoom
  const repository = yield* TokenRepository
  const within = yield* withinQuota
  const settings = yield* Settings
  const random = yield* SecureRandom
  const digest = yield* Digest
  const missing = new NotFound({ resource: "token" })
  const checkId = (tokenId: string) => (Ids.is("tok", tokenId) ? Effect.void : Effect.fail(missing))

  return Tokens.of({
    create: Effect.fn("Tokens.create")(
      function* (actor, tenantId, input) {
        const identity = yield* access.requirePart(actor, tenantId, "token:manage")
        const { member, name, ...requested } = yield* Token.decodeCreate(input)
        const limits = yield* TokenLimits.decide(requested, identity)
        const now = yield* DateTime.now
        const expiresAt = yield* TokenExpiry.decide({ requested: requested.expiresAt, now, settings, identity })
        if (!Ids.is("mem", member.id)) return yield* noSuchMember
        yield* room.forRecord
        const { hash, key, prefix } = yield* ApiKey.mint
        const token = {
          id: yield* Ids.make("tok"),
          name,
          member,
          prefix,
          expiresAt,
          ...limits,
          createdBy: Creator.of(identity),
          createdAt: now,
          lastUsedAt: null,
          revokedAt: null
        }
        yield* Effect.catchTag(
          by(identity)(within(tenantId)(repository.create({ tenantId, token, hash }))),
          "NotFound",
          () => Effect.fail(noSuchMember)
        )
        return { ...token, key: Redacted.value(key) }
      },
      Effect.provideService(SecureRandom, random),
      Effect.provideService(Digest, digest)
    ),

    list: Effect.fn("Tokens.list")(function* (actor, tenantId, page) {
      yield* access.require(actor, tenantId, "token:manage")
      return yield* Page.listById(page, (slice) => repository.list({ tenantId, ...slice }))
    }),

    get: Effect.fn("Tokens.get")(function* (actor, tenantId, tokenId) {
      yield* access.require(actor, tenantId, "token:manage")
      yield* checkId(tokenId)
      return yield* NotFound.whenNone(repository.find(tenantId, tokenId), missing)
    }),

    revoke: Effect.fn("Tokens.revoke")(function* (actor, tenantId, tokenId) {
      const identity = yield* access.require(actor, tenantId, "token:manage")
      yield* checkId(tokenId)
      const revocation = { tenantId, tokenId, at: yield* DateTime.now }
      if (!(yield* by(identity)(repository.revoke(revocation)))) return yield* missing
      yield* access.clearCache
    })
  })
})

const noSuchMember = InvalidRequest.at("/member/id", "is not a member of this tenant")

export const layer: Layer.Layer<Tokens, never, Access | TokenRepository | SecureRandom | Digest> = Layer.effect(
  Tokens,
  make
)
