/**
 * Accounts and their keys. The operator's side alone: no endpoint makes an account key.
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

/** Whose key it is, and what it is called. */
export const CreateAccountKey = Schema.Struct({ email: Email, name: Label })
export type CreateAccountKey = typeof CreateAccountKey.Type

type OperatorError = Forbidden | MetadataError

export class Accounts extends Context.Service<
  Accounts,
  {
    /** The account of an e-mail address; created when there is none. */
    readonly ensure: (actor: Actor, email: string) => Effect.Effect<Account, OperatorError | InvalidRequest>

    /**
     * Makes a key for an account, which is created when the address has none. The answer is the only place where the
     * key is ever shown. With `own`, a key that the operator made (by `ApiKey.mint`) is taken; giving it again changes nothing.
     */
    readonly createKey: (
      actor: Actor,
      input: CreateAccountKey,
      own?: ApiKey.Minted
    ) => Effect.Effect<AccountKey & { readonly key: Redacted.Redacted }, OperatorError | InvalidRequest>

    readonly listKeys: (
      actor: Actor,
      page: Page.Request
    ) => Effect.Effect<Page.Page<AccountKey>, OperatorError | InvalidRequest | InvalidCursor>

    /** Revokes a key for good. */
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
        yield* access.forget
        return { ...stored, key }
      },
      Effect.provideService(SecureRandom, random),
      Effect.provideService(Digest, digest)
    ),

    listKeys: Effect.fn("Accounts.listKeys")(function* (actor, page) {
      yield* access.requireSystem(actor)
      return yield* Page.byId(page, repository.listKeys)
    }),

    revokeKey: Effect.fn("Accounts.revokeKey")(function* (actor, keyId) {
      yield* access.requireSystem(actor)
      if (!Ids.is("key", keyId)) return yield* missing
      const revoked = yield* NotFound.unless(repository.revokeKey(keyId, yield* DateTime.now), missing)
      yield* access.forget
      return revoked
    })
  })
})

export const layer: Layer.Layer<Accounts, never, Access | AccountRepository | SecureRandom | Digest> = Layer.effect(
  Accounts,
  make
)
