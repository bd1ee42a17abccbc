/**
 * The policy: what an actor may do in a tenant. Every service method begins here, so that the library is as safe as
 * the HTTP API.
 *
 * Answers are reused for at most a second, and dropped at once when this process changes a member, a token or a key.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Actor } from "../Actor.ts"
import { Forbidden, Unauthenticated } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Permission } from "../Permission.ts"
import * as Role from "../Role.ts"
import { Settings } from "../Settings.ts"
import { AccessRepository, type Standing } from "./AccessRepository.ts"
import * as KeyUse from "./KeyUse.ts"

export type AccessError = Unauthenticated | Forbidden | MetadataError

/** Who the actor turned out to be. The deployment itself has no standing. */
export type Identity = Standing | "system"

export class Access extends Context.Service<
  Access,
  {
    /**
     * Who the actor is, and its membership in the tenant (when one is named).
     * `Unauthenticated` when the key is unknown, expired or revoked, or the account is gone.
     */
    readonly identify: (actor: Actor, tenantId?: string) => Effect.Effect<Identity, Unauthenticated | MetadataError>

    /**
     * Lets an actor through that has the permission in the tenant. `Forbidden` otherwise: the same when the actor is no
     * member, when its role lacks the permission, and when there is no such tenant.
     */
    readonly require: (actor: Actor, tenantId: string, permission: Permission) => Effect.Effect<Identity, AccessError>

    /** Lets the deployment itself through, and nobody else. */
    readonly requireSystem: (actor: Actor) => Effect.Effect<void, Forbidden>

    /** Forgets every answer: called after a change of who may do what. */
    readonly forget: Effect.Effect<void>
  }
>()("@holdfast/core/access/Access") {}

interface Entry {
  readonly standing: Standing
  readonly until: number
}

/** More entries than this are never kept: a flood of keys must not grow the process. */
const capacity = 10_000

const isLive = (credential: Standing["credential"], now: number): boolean =>
  credential === null ||
  (credential.revokedAt === null &&
    (credential.expiresAt === null || DateTime.toEpochMillis(credential.expiresAt) > now))

const make = Effect.gen(function* () {
  const repository = yield* AccessRepository
  const use = yield* KeyUse.make
  const settings = yield* Settings
  const reuse = Math.min(1000, Duration.toMillis(settings.accessCache))
  const entries = new Map<string, Entry>()
  let epoch = 0

  const lookUp = (actor: Exclude<Actor, { _tag: "System" }>, tenantId: string | undefined) =>
    actor._tag === "Key" ? repository.byKey(actor.hash, tenantId) : repository.byAccount(actor.accountId, tenantId)

  const remember = (id: string, standing: Standing, now: number) => {
    if (reuse === 0) return
    if (entries.size >= capacity) entries.clear()
    entries.set(id, { standing, until: now + reuse })
  }

  const admit = (standing: Standing, now: number): Effect.Effect<Standing, Unauthenticated> => {
    if (!isLive(standing.credential, now)) return Effect.fail(new Unauthenticated())
    if (standing.credential !== null) use.note(standing.credential.id, now)
    return Effect.succeed(standing)
  }

  const identify = (actor: Actor, tenantId?: string): Effect.Effect<Identity, Unauthenticated | MetadataError> => {
    if (actor._tag === "System") return Effect.succeed("system")
    return Clock.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const id = `${actor._tag === "Key" ? actor.hash : actor.accountId} ${tenantId ?? ""}`
      const entry = entries.get(id)
      if (entry !== undefined && entry.until > now) return admit(entry.standing, now)
      const asked = epoch
      return Effect.flatMap(lookUp(actor, tenantId), (found) => {
        if (Option.isNone(found)) return Effect.fail(new Unauthenticated())
        // An answer that was under way while something changed may be stale already.
        if (asked === epoch) remember(id, found.value, now)
        return admit(found.value, now)
      })
    })
  }

  return Access.of({
    identify,
    require: (actor, tenantId, permission) =>
      Effect.flatMap(
        identify(actor, Ids.is("ten", tenantId) ? tenantId : undefined),
        (identity): Effect.Effect<Identity, Forbidden> => {
          if (identity === "system") return Effect.succeed(identity)
          const { member } = identity
          return member !== null && Role.permits(member.role, permission)
            ? Effect.succeed(identity)
            : Effect.fail(new Forbidden())
        }
      ),
    requireSystem: (actor) => (actor._tag === "System" ? Effect.void : Effect.fail(new Forbidden())),
    forget: Effect.sync(() => {
      epoch++
      entries.clear()
    })
  })
})

/** The policy over the access repository. */
export const layer: Layer.Layer<Access, never, AccessRepository> = Layer.effect(Access, make)
