/**
 * The actors of the Promise API, which `holdfast.as(key)`, `holdfast.account(email)` and `holdfast.system()` make.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Digest } from "effect/crypto/Digest"
import * as ApiKey from "../../access/ApiKey.ts"
import { Accounts } from "../../accounts/Accounts.ts"
import * as Actor from "../../Actor.ts"
import { InvalidRequest, type Unauthenticated } from "../../Errors.ts"
import type { MetadataError } from "../../MetadataError.ts"

/** An effect that returns the actor of a handle. Each call runs it. */
export type ActorLookup = Effect.Effect<
  Actor.Actor,
  Unauthenticated | InvalidRequest | MetadataError,
  Digest | Accounts
>

/** `account`: an account, or the holder of a key of one. `system`: the deployment itself, which has no account. */
type ActorKind = "account" | "system"

/**
 * An identity, for the `Holdfast` that made it. It can be kept: each call looks its permissions up. Printing it shows
 * nothing of its key.
 */
export class ActorHandle<Kind extends ActorKind = ActorKind> {
  /** Whether it has an account. */
  readonly kind: Kind
  readonly #owner: object
  readonly #actor: ActorLookup

  private constructor(owner: object, kind: Kind, actor: ActorLookup) {
    this.kind = kind
    this.#owner = owner
    this.#actor = actor
  }

  /** Returns a handle for the holder of an account key or API token. Throws `InvalidRequest` for a key that is no string. */
  static key(owner: object, key: unknown): ActorHandle<"account"> {
    if (typeof key !== "string") throw InvalidRequest.at("/key", "must be an API key, as a string")
    const secret = Redacted.make(key)
    // The hash of a key never changes. Whether the key is valid is looked up with each call.
    let identified: Effect.Effect<Actor.Actor> | undefined
    const identify = Effect.suspend(() => ApiKey.identify(Redacted.value(secret))).pipe(
      Effect.tap((actor) => Effect.sync(() => (identified = Effect.succeed(actor))))
    )
    return new ActorHandle(
      owner,
      "account",
      Effect.suspend((): ActorLookup => identified ?? identify)
    )
  }

  /** Returns a handle for the deployment itself. */
  static system(owner: object): ActorHandle<"system"> {
    return new ActorHandle(owner, "system", Effect.succeed(Actor.system))
  }

  /**
   * Returns a handle for an account that the host has authenticated. The account is created with the first call. Throws
   * `InvalidRequest` for an address that is no string.
   */
  static account(owner: object, email: unknown): ActorHandle<"account"> {
    if (typeof email !== "string") throw InvalidRequest.at("/email", "must be an e-mail address")
    return new ActorHandle(
      owner,
      "account",
      Effect.flatMap(Accounts, (accounts) =>
        accounts.ensure(Actor.system, email).pipe(
          Effect.map((account) => Actor.account(account.id)),
          Effect.catchTag("Forbidden", Effect.die)
        )
      )
    )
  }

  /** Finds the actor of a handle. Fails with `InvalidRequest` at `/actor` for a value that is no handle of this owner. */
  static resolve(owner: object, handle: unknown): ActorLookup {
    if (!(handle instanceof ActorHandle)) {
      return Effect.fail(InvalidRequest.at("/actor", "must be an actor; make one with as(), account() or system()"))
    }
    return handle.#owner === owner
      ? handle.#actor
      : Effect.fail(InvalidRequest.at("/actor", "is an actor of another Holdfast instance"))
  }
}
