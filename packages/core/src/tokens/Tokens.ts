/**
 * API tokens of a tenant: making, listing, revoking. Admins alone, since a token carries its member's rights.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Digest } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError } from "../access/Access.ts"
import * as ApiKey from "../access/ApiKey.ts"
import type { Actor } from "../Actor.ts"
import { type InvalidCursor, InvalidRequest, NotFound } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import * as Page from "../Page.ts"
import { Settings } from "../Settings.ts"
import * as Token from "./Token.ts"
import { TokenRepository } from "./TokenRepository.ts"

export class Tokens extends Context.Service<
  Tokens,
  {
    /** Makes a token for a member. The answer is the only place where the key is ever shown. */
    readonly create: (
      actor: Actor,
      tenantId: string,
      input: Token.CreateToken
    ) => Effect.Effect<Token.CreatedToken, AccessError | InvalidRequest>

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

    /** Revokes a token for good; it keeps its place in the list. */
    readonly revoke: (actor: Actor, tenantId: string, tokenId: string) => Effect.Effect<void, AccessError | NotFound>
  }
>()("@holdfast/core/tokens/Tokens") {}

const decodeCreate = Input.decoder(Schema.toType(Token.CreateToken))

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* TokenRepository
  const settings = yield* Settings
  const random = yield* SecureRandom
  const digest = yield* Digest
  const missing = new NotFound({ resource: "token" })
  const guard = (tokenId: string) => (Ids.is("tok", tokenId) ? Effect.void : Effect.fail(missing))

  /** The expiry that a new token may have, or the fault in the one that was asked for. */
  const checkExpiry = (expiresAt: DateTime.Utc | null, now: DateTime.Utc) => {
    if (expiresAt === null) {
      return settings.allowEternalTokens
        ? Effect.void
        : Effect.fail(
            InvalidRequest.at("/expiresAt", "must be a time; this deployment has no tokens that never expire")
          )
    }
    return DateTime.isGreaterThan(expiresAt, now)
      ? Effect.void
      : Effect.fail(InvalidRequest.at("/expiresAt", "must lie in the future"))
  }

  return Tokens.of({
    create: Effect.fn("Tokens.create")(
      function* (actor, tenantId, input) {
        yield* access.require(actor, tenantId, "token:manage")
        const { expiresAt, member, name } = yield* decodeCreate(input)
        const now = yield* DateTime.now
        yield* checkExpiry(expiresAt, now)
        if (!Ids.is("mem", member.id)) return yield* noSuchMember
        const { hash, key, prefix } = yield* ApiKey.mint
        const token = {
          id: yield* Ids.make("tok"),
          name,
          member,
          prefix,
          expiresAt,
          createdAt: now,
          lastUsedAt: null,
          revokedAt: null
        }
        yield* Effect.catchTag(repository.create(tenantId, token, hash), "NotFound", () => Effect.fail(noSuchMember))
        return { ...token, key: Redacted.value(key) }
      },
      Effect.provideService(SecureRandom, random),
      Effect.provideService(Digest, digest)
    ),

    list: Effect.fn("Tokens.list")(function* (actor, tenantId, page) {
      yield* access.require(actor, tenantId, "token:manage")
      return yield* Page.byId(page, (after, limit) => repository.list(tenantId, after, limit))
    }),

    get: Effect.fn("Tokens.get")(function* (actor, tenantId, tokenId) {
      yield* access.require(actor, tenantId, "token:manage")
      yield* guard(tokenId)
      return yield* NotFound.unless(repository.find(tenantId, tokenId), missing)
    }),

    revoke: Effect.fn("Tokens.revoke")(function* (actor, tenantId, tokenId) {
      yield* access.require(actor, tenantId, "token:manage")
      yield* guard(tokenId)
      if (!(yield* repository.revoke(tenantId, tokenId, yield* DateTime.now))) return yield* missing
      yield* access.forget
    })
  })
})

const noSuchMember = InvalidRequest.at("/member/id", "is no member of this tenant")

export const layer: Layer.Layer<Tokens, never, Access | TokenRepository | SecureRandom | Digest> = Layer.effect(
  Tokens,
  make
)
