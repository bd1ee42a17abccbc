/**
 * The first account key: given by the operator and ensured at every start, or made at the first start and shown once.
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
import * as Tour from "./Tour.ts"

/** Whose key it is, and the operator's own key if there is one. */
export type Root = Pick<Config, "rootEmail" | "rootKey">

const name = "root"

/** Stores the operator's own key, before the first request; nothing when there is none. */
export const ensure = ({
  rootEmail: email,
  rootKey: key
}: Root): Effect.Effect<void, Forbidden | InvalidRequest | MetadataError, Accounts | Digest> =>
  Effect.gen(function* () {
    if (key === undefined) return
    const accounts = yield* Accounts
    // The configuration has found it to be a key.
    const own = yield* Effect.orDie(ApiKey.parse(Redacted.value(key)))
    yield* accounts.createKey(Actor.system, { email, name }, own)
  })

/**
 * Makes the first key when there is none, and the text that shows it; undefined when there is one. Called once the
 * service can be reached at `url`, so that the text is true when it is read.
 */
export const welcome = (
  { rootEmail: email, rootKey: key }: Root,
  url: string
): Effect.Effect<string | undefined, Forbidden | InvalidRequest | InvalidCursor | MetadataError, Accounts> =>
  Effect.gen(function* () {
    if (key !== undefined) return undefined
    const accounts = yield* Accounts
    const existing = yield* accounts.listKeys(Actor.system, { limit: 1 })
    if (existing.items.length > 0) return undefined
    const made = yield* accounts.createKey(Actor.system, { email, name })
    return Tour.text(url, email, Redacted.value(made.key))
  })
