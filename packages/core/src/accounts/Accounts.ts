/**
 * Accounts and their keys, for the operator only: every method requires `Actor.system`, and no endpoint calls one.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Digest } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access } from "../access/Access.ts"
import * as ApiKey from "../access/ApiKey.ts"
import type { Actor } from "../Actor.ts"
import { type Forbidden, type InvalidCursor, type InvalidRequest, NotFound } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import type { MetadataError } from "../MetadataError.ts"
import * as Page from "../Page.ts"
import { Email, Label } from "../Text.ts"
import type { Account } from "./Account.ts"
import type { AccountKey } from "./AccountKey.ts"
import { AccountRepository } from "./AccountRepository.ts"

/** The account's e-mail and a name for the key. */
export const CreateAccountKey = Schema.Struct({ email: Email, name: Label })
export type CreateAccountKey = typeof CreateAccountKey.Type

type OperatorError = Forbidden | MetadataError

export class Accounts extends Context.Service<
  Accounts,
  {
    /** Returns the account of an e-mail address; creates it when there is none. */
    readonly ensure: (actor: Actor, email: string) => Effect.Effect<Account, OperatorError | InvalidRequest>

    /**
     * Creates a key for an account; creates the account when the address has none. The result is the only place where
     * the key is shown. With `own`, stores a key that the operator made with `ApiKey.mint` instead of a new one; storing
     * the same key again changes nothing.
     */
    readonly createKey: (
      actor: Actor,
      input: CreateAccountKey,
      own?: ApiKey.HashedKey
    ) => Effect.Effect<AccountKey & { readonly key: Redacted.Redacted }, OperatorError | InvalidRequest>

    /** Lists the keys of all accounts, ordered by id. */
    readonly listKeys: (
      actor: Actor,
      page: Page.Request
    ) => Effect.Effect<Page.Page<AccountKey>, OperatorError | InvalidRequest | InvalidCursor>

    /** Revokes a key permanently. */
    readonly revokeKey: (actor: Actor, keyId: string) => Effect.Effect<AccountKey, OperatorError | NotFound>
  }
>()("@holdfast/core/accounts/Accounts") {}

const decodeEmail = Input.decoder(Schema.Struct({ email: Email }))
const decodeCreate = Input.decoder(CreateAccountKey)

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* AccountRepository
  const random = yield* SecureRandom
  const digest = yield* Digest
  const missing = new NotFound({ resource: "key" })

  const ensure = (email: string) =>
    Effect.provideService(
      Effect.flatMap(Ids.make("acc"), (id) => repository.findOrCreate({ id, email })),
      SecureRandom,
      random
    )

  return Accounts.of({
    ensure: Effect.fn("Accounts.ensure")(function* (actor, email) {
      yield* access.requireSystem(actor)
      return yield* ensure((yield* decodeEmail({ email })).email)
    }),

    createKey: Effect.fn("Accounts.createKey")(
      function* (actor, input, own) {
        yield* access.requireSystem(actor)
        const { email, name } = yield* decodeCreate(input)
        const account = yield* ensure(email)
        const { hash, key, prefix } = own ?? (yield* ApiKey.mint)
        const createdAt = yield* DateTime.now
        const stored = yield* repository.putKey(account.id, {
          id: yield* Ids.make("key"),
          name,
          hash,
          prefix,
          createdAt
        })
        yield* access.clearCache
        return { ...stored, key }
      },
      Effect.provideService(SecureRandom, random),
      Effect.provideService(Digest, digest)
    ),

    listKeys: Effect.fn("Accounts.listKeys")(function* (actor, page) {
      yield* access.requireSystem(actor)
      return yield* Page.listById(page, repository.listKeys)
    }),

    revokeKey: Effect.fn("Accounts.revokeKey")(function* (actor, keyId) {
      yield* access.requireSystem(actor)
      if (!Ids.is("key", keyId)) return yield* missing
      const revoked = yield* NotFound.whenNone(repository.revokeKey(keyId, yield* DateTime.now), missing)
      yield* access.clearCache
      return revoked
    })
  })
})

export const layer: Layer.Layer<Accounts, never, Access | AccountRepository | SecureRandom | Digest> = Layer.effect(
  Accounts,
  make
)
