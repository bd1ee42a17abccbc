/**
 * Account keys: `holdfast.keys`. The HTTP API has no such operations.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { AccountKey } from "../../../accounts/AccountKey.ts"
import { Accounts } from "../../../accounts/Accounts.ts"
import type * as Page from "../../../Page.ts"
import type { ActorHandle } from "../../internal/ActorHandle.ts"
import { bind, type Invoke } from "../../internal/BindOperations.ts"
import * as Fields from "../../internal/options/InputFields.ts"
import type { Methods } from "../../Operations.ts"
import type { WithTimes } from "../../internal/Times.ts"

/** An account key. */
export interface AccountKeyRef {
  /** The `id` of the key. */
  readonly keyId: string
}

export interface AccountKeyRecord<Time = Date> extends WithTimes<AccountKey, Time> {}
export interface CreateAccountKeyInput {
  /** The account, by its e-mail address. It is created when the address has none. */
  readonly email: string
  /** For people; at most 255 bytes. */
  readonly name: string
}

export interface CreatedAccountKeyRecord<Time = Date> extends AccountKeyRecord<Time> {
  readonly key: string
}

interface KeyOperations<Time> {
  /** Creates a key for an account, which is created when the address has none. No later call returns its `key`. */
  create(input: CreateAccountKeyInput): CreatedAccountKeyRecord<Time>

  /** Lists the account keys of the deployment, revoked ones included. */
  list(input?: Page.Request): Page.Page<AccountKeyRecord<Time>>

  /** Revokes a key, from its next use on. This cannot be undone. */
  revoke(input: AccountKeyRef): AccountKeyRecord<Time>
}

/** For the operator: rejects with `Forbidden` for any actor but `holdfast.system()`. */
export interface KeysApi extends Methods<KeyOperations<Date>, [actor: ActorHandle]> {}

export const make = (invoke: Invoke): KeysApi =>
  bind<KeyOperations<Date>>(
    invoke,
    {
      create: (actor, input) =>
        Effect.map(
          Accounts.use((service) => service.createKey(actor, input)),
          ({ key, ...record }) => ({ ...record, key: Redacted.value(key) })
        ),
      list: (actor, input) => Accounts.use((service) => service.listKeys(actor, input)),
      revoke: (actor, { keyId }) => Accounts.use((service) => service.revokeKey(actor, keyId))
    },
    { create: { email: true, name: true }, list: Fields.page, revoke: { keyId: "id" } },
    { list: true }
  )
