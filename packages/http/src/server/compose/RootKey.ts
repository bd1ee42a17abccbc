/**
 * The first account key: configured by the operator, or created at the first start.
 */
import * as ApiKey from "@holdfast/core/access/ApiKey"
import * as Actor from "@holdfast/core/Actor"
import { Accounts } from "@holdfast/core/accounts/Accounts"
import type { Forbidden, InvalidCursor, InvalidRequest } from "@holdfast/core/Errors"
import type { MetadataError } from "@holdfast/core/MetadataError"
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Config } from "../config/Config.ts"

export type RootKeySettings = Pick<Config, "rootEmail" | "rootKey">

const name = "root"

/** Stores the configured key if there is one. Called before the first request, so that the key is valid by then. */
export const storeConfigured = Effect.fnUntraced(function* ({
  rootEmail: email,
  rootKey: key
}: RootKeySettings): Effect.fn.Return<void, Forbidden | InvalidRequest | MetadataError, Accounts | Digest> {
  if (key === undefined) return
  const accounts = yield* Accounts
  // `Config.load` has validated the key.
  const minted = yield* Effect.orDie(ApiKey.parse(Redacted.value(key)))
  yield* accounts.createKey(Actor.system, { email, name }, minted)
})

/** Creates and returns the first key if none is configured and the database has none; otherwise returns undefined. */
export const createFirst = Effect.fnUntraced(function* ({
  rootEmail: email,
  rootKey: configured
}: RootKeySettings): Effect.fn.Return<
  Redacted.Redacted | undefined,
  Forbidden | InvalidRequest | InvalidCursor | MetadataError,
  Accounts
> {
  if (configured !== undefined) return undefined
  const accounts = yield* Accounts
  const existing = yield* accounts.listKeys(Actor.system, { limit: 1 })
  if (existing.items.length > 0) return undefined
  const created = yield* accounts.createKey(Actor.system, { email, name })
  return created.key
})
