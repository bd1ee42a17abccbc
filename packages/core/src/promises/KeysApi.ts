/**
 * `holdfast.keys`: account keys. The operator's side: the actor must be `holdfast.system()`.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { AccountKey } from "../accounts/AccountKey.ts"
import { Accounts, type CreateAccountKey } from "../accounts/Accounts.ts"
import type * as Page from "../Page.ts"
import type { ActorHandle } from "./Actors.ts"
import type { Call } from "./Call.ts"
import * as Plain from "./Plain.ts"
import type { CallOptions } from "./Runner.ts"

export type AccountKeyRecord = Plain.Plain<AccountKey>

export class KeysApi {
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
  }

  /** Makes a key for an account, which is created when the address has none. Its `key` is shown this once. */
  create(
    actor: ActorHandle,
    input: CreateAccountKey,
    options?: CallOptions
  ): Promise<AccountKeyRecord & { readonly key: string }> {
    return this.#call(actor, input, options, (as) =>
      Effect.gen(function* () {
        const { createKey } = yield* Accounts
        const { key, ...record } = yield* createKey(as, input)
        return { ...Plain.fromCore(record), key: Redacted.value(key) }
      })
    )
  }

  list(
    actor: ActorHandle,
    input: Page.Request = {},
    options?: CallOptions
  ): Promise<Plain.Plain<Page.Page<AccountKey>>> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Accounts.use((accounts) => accounts.listKeys(as, input)),
        Plain.fromCore
      )
    )
  }

  /** Revokes a key for good; holds for its next use. */
  revoke(actor: ActorHandle, input: { readonly keyId: string }, options?: CallOptions): Promise<AccountKeyRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Accounts.use((accounts) => accounts.revokeKey(as, input.keyId)),
        Plain.fromCore
      )
    )
  }
}
