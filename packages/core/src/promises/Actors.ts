/**
 * Who asks, at the Promise door: `holdfast.as(key)`, `holdfast.system()`, `holdfast.account(email)`.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Digest } from "effect/crypto/Digest"
import * as ApiKey from "../access/ApiKey.ts"
import { Accounts } from "../accounts/Accounts.ts"
import * as Actor from "../Actor.ts"
import { InvalidRequest, type Unauthenticated } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"

/**
 * An identity, bound to the instance that made it. What it may do is looked up with every call, so it may be kept as
 * long as one likes. It shows nothing of its key when it is printed.
 */
export class ActorHandle {
  readonly #owner: object
  readonly #actor: Effect.Effect<Actor.Actor, Unauthenticated | InvalidRequest | MetadataError, Digest | Accounts>

  private constructor(
    owner: object,
    actor: Effect.Effect<Actor.Actor, Unauthenticated | InvalidRequest | MetadataError, Digest | Accounts>
  ) {
    this.#owner = owner
    this.#actor = actor
  }

  /** The holder of an API key or account key. */
  static key(owner: object, key: unknown): ActorHandle {
    if (typeof key !== "string") throw InvalidRequest.at("/key", "must be an API key as text")
    const secret = Redacted.make(key)
    return new ActorHandle(
      owner,
      Effect.suspend(() => ApiKey.identify(Redacted.value(secret)))
    )
  }

  /** The deployment itself. */
  static system(owner: object): ActorHandle {
    return new ActorHandle(owner, Effect.succeed(Actor.system))
  }

  /** An account that the host has authenticated, by e-mail; it is created when it is first used. */
  static account(owner: object, email: unknown): ActorHandle {
    if (typeof email !== "string") throw InvalidRequest.at("/email", "must be an e-mail address")
    return new ActorHandle(
      owner,
      Effect.flatMap(Accounts, (accounts) =>
        accounts.ensure(Actor.system, email).pipe(
          Effect.map((account) => Actor.account(account.id)),
          Effect.catchTag("Forbidden", Effect.die)
        )
      )
    )
  }

  /** The actor behind a handle, when it is one of this owner's. */
  static resolve(
    owner: object,
    handle: unknown
  ): Effect.Effect<Actor.Actor, Unauthenticated | InvalidRequest | MetadataError, Digest | Accounts> {
    if (!(handle instanceof ActorHandle)) {
      return Effect.fail(InvalidRequest.at("/actor", "must be an actor; make one with as(), account() or system()"))
    }
    return handle.#owner === owner
      ? handle.#actor
      : Effect.fail(InvalidRequest.at("/actor", "is an actor of another Holdfast"))
  }
}
