/**
 * The access policy: which permissions an actor has in a tenant. Every service method checks it first, so that a program
 * that uses the library is checked as a client of the HTTP API is.
 *
 * A look-up is cached for at most one second (`Settings.accessCache`). Shortly before its end a request that uses it starts another
 * look-up and does not wait for it, so that the requests of an actor that sends many wait for none. A change of a member, a token or a
 * key by this process clears the cache.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Actor } from "../Actor.ts"
import { Forbidden, NotFound, OriginNotAllowed, Unauthenticated } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Permission } from "../Permission.ts"
import * as Role from "../Role.ts"
import { Settings } from "../Settings.ts"
import { AccessRepository, type Principal } from "./AccessRepository.ts"
import { CurrentRequest, type Refusal, type RequestInfo } from "./CurrentRequest.ts"
import { HostLimits, noPermission, noTenantCreation } from "./HostLimits.ts"
import * as Scope from "./Scope.ts"
import { isFresh } from "./internal/CacheLifetime.ts"
import * as ShareHolder from "./internal/ShareHolder.ts"
import * as KeyUseRecorder from "./internal/KeyUseRecorder.ts"

export type IdentifyError = Unauthenticated | OriginNotAllowed | MetadataError
export type AccessError = IdentifyError | Forbidden

/** Who has requested something: an account, with the id of the key that it presented. The deployment itself has neither. */
export interface Author {
  readonly accountId: string | null
  readonly tokenId: string | null
}

/** The bucket of a file that is read. */
interface Bucket {
  readonly tenantId: string
  readonly bucketId: string
}

/** The identity of an actor. The deployment itself (`Actor.system`) has no account and no membership. */
export type Identity = Principal | "system"

/** The API token that an actor presented, with the tenant that it is tied to; undefined for any other credential and for none. */
export const tokenOf = (identity: Identity): { readonly id: string; readonly tenantId: string } | undefined => {
  if (identity === "system" || identity.credential === null) return undefined
  const { id, tenantId } = identity.credential
  return tenantId === null ? undefined : { id, tenantId }
}

/** The limits of the API token that an actor presented. */
export const limitsOf = (identity: Identity): Pick<NonNullable<Principal["credential"]>, "scope" | "allowedOrigins"> =>
  identity === "system" || identity.credential === null ? { scope: null, allowedOrigins: null } : identity.credential

/** The buckets to which the scope of an actor's token is limited; undefined without such a limit. */
export const bucketsOf = (identity: Identity): ReadonlyArray<string> | undefined => limitsOf(identity).scope?.bucketIds

/** The folder to which the scope of an actor's token is limited; undefined without such a limit. */
export const folderOf = (identity: Identity | "anonymous"): string | undefined =>
  identity === "anonymous" ? undefined : limitsOf(identity).scope?.pathPrefix

export class Access extends Context.Service<
  Access,
  {
    /**
     * Returns the actor's identity; with a `tenantId`, including its membership in that tenant. Fails with
     * `Unauthenticated` when the key is unknown, expired or revoked, or the account does not exist, and with `OriginNotAllowed` when
     * the request presents a key that may not be used from the page of the request.
     */
    readonly identify: (actor: Actor, tenantId?: string) => Effect.Effect<Identity, IdentifyError>

    /**
     * Succeeds with the actor's identity when the actor has the permission for a tenant, or for a bucket or folder of it. Fails
     * with `Forbidden` when the actor is no member, when its role lacks the permission, and when there is no such tenant: the same
     * error for all three. Fails with `Forbidden` also when the scope of the actor's token does not include the place.
     *
     * The scope of a token may be limited to a folder. A permission for a bucket's files then succeeds, and the caller finds files
     * by a selector of this identity (`toSelector`), which selects none outside the folder. Before it puts a file into a folder, it
     * requires the permission for that folder.
     */
    readonly require: (
      actor: Actor,
      place: string | Scope.Place,
      permission: Permission
    ) => Effect.Effect<Identity, AccessError>

    /**
     * As `require` for a tenant, and also succeeds for a token whose scope is limited to buckets: the caller confines what it does
     * to the scope of the identity.
     */
    readonly requirePart: (
      actor: Actor,
      tenantId: string,
      permission: Permission
    ) => Effect.Effect<Identity, AccessError>

    /**
     * Succeeds when the actor may do what accounts do, such as creating tenants: for an account key; for an account and the deployment
     * itself, unless the host that has identified them forbids it; for an API token if `Settings.tokensMayCreateTenants` is set and the token has no scope.
     */
    readonly requireAccount: (actor: Actor) => Effect.Effect<Identity, AccessError>

    /**
     * Succeeds for a bucket whose contents may be read without a key: the bucket and the deployment must permit it. Fails with
     * `NotFound` of a file otherwise, also when there is no such bucket.
     */
    readonly requirePublic: (bucket: Bucket) => Effect.Effect<"anonymous", NotFound | MetadataError>

    /**
     * Whether work that goes on after its request is still permitted: the account or key that requested it has the permission for all
     * these places now. The deployment itself always has.
     */
    readonly isStillPermitted: (
      author: Author,
      places: ReadonlyArray<Scope.Place>,
      permission: Permission
    ) => Effect.Effect<boolean, MetadataError>

    /**
     * Whether this process has found the actor's key valid before, and not invalid since. Requires no look-up. It does not
     * authenticate the actor.
     */
    readonly isKnown: (actor: Actor) => boolean

    /** Succeeds for the deployment itself (`Actor.system`) only. */
    readonly requireSystem: (actor: Actor) => Effect.Effect<void, Forbidden>

    /** Clears the cache of look-ups. Call it after a change of members, roles, tokens or keys, or of what is public. */
    readonly clearCache: Effect.Effect<void>
  }
>()("@holdfast/core/access/Access") {}

interface CacheEntry {
  readonly principal: Principal
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Epoch milliseconds after which a request starts another look-up; infinite once one has. */
  refreshesAt: number
}

/** The part of its lifetime after which an entry is looked up again when it is used. */
const refreshAfter = 0.8

/** For a client without a key, a private bucket is as one that does not exist, and as a file that does not. */
const notThere = Effect.fail(new NotFound({ resource: "file" }))

/** Returns the error for an actor whose role lacks the permission, or that is no member. */
const notPermitted = (actor: Actor, permission: Permission): Forbidden =>
  new Forbidden(
    isOnBehalf(actor)
      ? `The creator of this link or share has no permission ${permission} in this tenant. Ask for another link.`
      : `The caller has no permission ${permission} in this tenant.`,
    permission
  )

/** Returns the error for an actor whose scope does not include the permission for the place of the request. */
const outsideScope = (actor: Actor, permission: Permission): Forbidden =>
  new Forbidden(
    isOnBehalf(actor)
      ? `This link or share does not give the permission ${permission} here. Ask for one that does, for this bucket and folder.`
      : `The scope of the API key does not give the permission ${permission} here. Use a key whose scope has it for this bucket and folder.`,
    permission
  )

const notAccount = new Forbidden(
  "This operation is for accounts. Use an account key: an API token works in its own tenant alone."
)

const notSystem = new Forbidden(
  "Only the deployment itself may do this: its command line, or the program that opened it, by the actor system()."
)

/** Whether the actor is the holder of a link, a playback key or a share, who acts on behalf of its creator. */
const isOnBehalf = (actor: Actor): boolean => actor._tag === "Share" || (actor._tag === "Key" && actor.isParent)

/** The most cache entries. The bound keeps requests with many different keys from growing the process. */
const capacity = 10_000

/** Returns what distinguishes an actor from all others. */
const idOf = (actor: Exclude<Actor, { _tag: "System" }>): string =>
  actor._tag === "Key"
    ? actor.hash
    : actor._tag === "Account"
      ? actor.accountId
      : `${actor.shareId} ${actor.passwordVersion}`

const isValid = (credential: Principal["credential"], now: number): boolean =>
  credential === null ||
  (credential.revokedAt === null &&
    (credential.expiresAt === null || DateTime.toEpochMillis(credential.expiresAt) > now))

/** A link or a playback key is for one file, so that the origins of the key that made it do not limit it. */
const isAllowedOrigin = (actor: Actor, { credential }: Principal, pageOrigin: () => string | null): boolean => {
  if (credential === null || credential.allowedOrigins === null) return true
  if (actor._tag === "Key" && actor.isParent) return true
  const origin = pageOrigin()
  return origin !== null && credential.allowedOrigins.includes(origin)
}

/** Fails with the error, and reports the refusal to the observer of the request. */
const refuse = <E>(error: E, refusal: Refusal): Effect.Effect<never, E> =>
  Effect.flatMap(CurrentRequest, ({ onRefused }) => {
    onRefused?.(refusal)
    return Effect.fail(error)
  })

const make = Effect.gen(function* () {
  const repository = yield* AccessRepository
  const recorder = yield* KeyUseRecorder.make
  const settings = yield* Settings
  const scope = yield* Effect.scope
  const context = yield* Effect.context<never>()
  const lifetime = Math.min(1000, Duration.toMillis(settings.accessCache))
  const cache = new Map<string, CacheEntry>()
  /** Until when a bucket is known to be public, in epoch milliseconds. */
  const publicBuckets = new Map<string, number>()
  /** The hashes of keys that were valid at their latest look-up. */
  const known = new Set<string>()
  let generation = 0

  const find = (
    actor: Exclude<Actor, { _tag: "System" }>,
    tenantId: string | undefined
  ): Effect.Effect<Option.Option<Principal>, MetadataError> => {
    switch (actor._tag) {
      case "Key":
        return repository.findByKey({ hash: actor.hash, tenantId })
      case "Account":
        return repository.findByAccount({ accountId: actor.accountId, tenantId })
      case "Share":
        return tenantId === undefined
          ? Effect.succeedNone
          : Effect.map(
              repository.findByShare({ shareId: actor.shareId, tenantId }),
              Option.flatMap((share) =>
                share.passwordVersion === actor.passwordVersion
                  ? Option.some(ShareHolder.toPrincipal(share))
                  : Option.none()
              )
            )
    }
  }

  const store = (cacheKey: string, principal: Principal, now: number) => {
    if (lifetime === 0) return
    if (cache.size >= capacity) cache.clear()
    cache.set(cacheKey, { principal, expiresAt: now + lifetime, refreshesAt: now + refreshAfter * lifetime })
  }

  const remember = (actor: Actor, isValid: boolean) => {
    if (actor._tag !== "Key") return
    known.delete(actor.hash)
    if (!isValid) return
    if (known.size >= capacity) known.clear()
    known.add(actor.hash)
  }

  const checkCredential = (
    actor: Actor,
    principal: Principal,
    now: number,
    tenantId: string | undefined,
    { onIdentified, pageOrigin }: RequestInfo
  ): Effect.Effect<Principal, Unauthenticated | OriginNotAllowed> => {
    if (!isValid(principal.credential, now)) {
      return tenantId === undefined || principal.credential?.tenantId !== tenantId
        ? Effect.fail(new Unauthenticated())
        : refuse(new Unauthenticated(), { tenantId, identity: principal, cause: { reason: "unauthenticated" } })
    }
    if (pageOrigin !== undefined && !isAllowedOrigin(actor, principal, pageOrigin)) {
      return tenantId === undefined
        ? Effect.fail(new OriginNotAllowed())
        : refuse(new OriginNotAllowed(), { tenantId, identity: principal, cause: { reason: "origin_not_allowed" } })
    }
    onIdentified?.({ accountId: principal.account.id, tokenId: principal.credential?.id ?? null })
    if (principal.credential !== null) recorder.record(principal.credential.id, now)
    return Effect.succeed(principal)
  }

  /** Looks an actor up, and stores the result unless it may be stale already: its look-up began before `clearCache` ran. */
  const lookUp = (
    actor: Exclude<Actor, { _tag: "System" }>,
    tenantId: string | undefined,
    cacheKey: string,
    now: number
  ): Effect.Effect<Option.Option<Principal>, MetadataError> => {
    const startedIn = generation
    return Effect.tap(find(actor, tenantId), (found) =>
      Effect.sync(() => {
        remember(actor, Option.isSome(found) && isValid(found.value.credential, now))
        if (startedIn !== generation) return
        if (Option.isSome(found)) store(cacheKey, found.value, now)
        else cache.delete(cacheKey)
      })
    )
  }

  /** Starts a look-up outside of the request, which may end before it, and may run in a transaction of its caller. */
  const start = (lookingUp: Effect.Effect<unknown, MetadataError>): void => {
    Fiber.runIn(Effect.runForkWith(context)(Effect.ignore(lookingUp)), scope)
  }

  const identify = (actor: Actor, tenantId?: string): Effect.Effect<Identity, IdentifyError> => {
    if (actor._tag === "System") return Effect.succeed("system")
    return Effect.withFiber((fiber) => {
      const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
      const request = fiber.getRef(CurrentRequest)
      const cacheKey = `${idOf(actor)} ${tenantId ?? ""}`
      const entry = cache.get(cacheKey)
      if (entry !== undefined && isFresh(entry.expiresAt, now, lifetime)) {
        if (entry.refreshesAt <= now) {
          entry.refreshesAt = Number.POSITIVE_INFINITY
          start(lookUp(actor, tenantId, cacheKey, now))
        }
        return checkCredential(actor, entry.principal, now, tenantId, request)
      }
      return Effect.flatMap(lookUp(actor, tenantId, cacheKey, now), (found) =>
        Option.isNone(found)
          ? Effect.fail(new Unauthenticated())
          : checkCredential(actor, found.value, now, tenantId, request)
      )
    })
  }

  const isPublic = (bucket: Bucket): Effect.Effect<boolean, MetadataError> =>
    Effect.withFiber((fiber) => {
      const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
      const cacheKey = `${bucket.tenantId} ${bucket.bucketId}`
      if (isFresh(publicBuckets.get(cacheKey) ?? 0, now, lifetime)) return Effect.succeed(true)
      const startedIn = generation
      return Effect.tap(repository.isPublic(bucket), (found) =>
        Effect.sync(() => {
          publicBuckets.delete(cacheKey)
          if (!found || startedIn !== generation || lifetime === 0) return
          if (publicBuckets.size >= capacity) publicBuckets.clear()
          publicBuckets.set(cacheKey, now + lifetime)
        })
      )
    })

  const require = (
    actor: Actor,
    tenantId: string,
    permission: Permission,
    isInScope: (scope: Scope.Scope) => boolean
  ): Effect.Effect<Identity, AccessError> => {
    const isId = Ids.is("ten", tenantId)
    return Effect.flatMap(identify(actor, isId ? tenantId : undefined), (identity) =>
      Effect.withFiber<Identity, Forbidden>((fiber) => {
        const hostPermissions = fiber.getRef(HostLimits)?.permissions
        const isFromHost = hostPermissions === undefined || hostPermissions.includes(permission)
        if (identity === "system") return isFromHost ? Effect.succeed(identity) : Effect.fail(noPermission(permission))
        const { member } = identity
        if (member === null || !Role.permits(member.role, permission) || !isFromHost) {
          const error = isFromHost ? notPermitted(actor, permission) : noPermission(permission)
          return isId
            ? refuse(error, { tenantId, identity, cause: { reason: "forbidden", permission } })
            : Effect.fail(error)
        }
        const { scope } = limitsOf(identity)
        return scope === null || isInScope(scope)
          ? Effect.succeed(identity)
          : refuse(outsideScope(actor, permission), {
              tenantId,
              identity,
              cause: { reason: "outside_scope", permission }
            })
      })
    )
  }

  const findAuthor = (
    { accountId, tokenId: credentialId }: Author,
    tenantId: string
  ): Effect.Effect<Option.Option<Principal>, MetadataError> =>
    credentialId !== null
      ? repository.findByCredential({ credentialId, tenantId })
      : repository.findByAccount({ accountId: accountId ?? "", tenantId })

  const isStillPermitted = Effect.fnUntraced(function* (
    author: Author,
    places: ReadonlyArray<Scope.Place>,
    permission: Permission
  ) {
    if (author.accountId === null && author.tokenId === null) return true
    const now = yield* Clock.currentTimeMillis
    for (const place of places) {
      const principal = Option.getOrNull(yield* findAuthor(author, place.tenantId))
      if (principal === null || principal.member === null || !isValid(principal.credential, now)) return false
      const { scope } = limitsOf(principal)
      if (!Role.permits(principal.member.role, permission)) return false
      if (scope !== null && !Scope.includes(scope, place, permission)) return false
    }
    return true
  })

  return Access.of({
    identify,
    isStillPermitted,
    require: (actor, place, permission) => {
      const whole = typeof place === "string" ? { tenantId: place } : place
      return require(actor, whole.tenantId, permission, (scope) => Scope.includes(scope, whole, permission))
    },
    requirePart: (actor, tenantId, permission) =>
      require(actor, tenantId, permission, (scope) => Scope.includesPart(scope, permission)),
    requireAccount: (actor) =>
      Effect.flatMap(HostLimits, (limits) =>
        actor._tag !== "Key" && limits?.allowTenantCreation === false
          ? Effect.fail(noTenantCreation)
          : Effect.filterOrFail(
              identify(actor),
              (identity) =>
                tokenOf(identity) === undefined ||
                (settings.tokensMayCreateTenants && limitsOf(identity).scope === null),
              () => notAccount
            )
      ),
    requirePublic: (bucket) =>
      Effect.withFiber((fiber) =>
        settings.publicBuckets &&
        fiber.getRef(HostLimits)?.permissions?.includes("file:read") !== false &&
        Ids.is("ten", bucket.tenantId) &&
        Ids.is("bkt", bucket.bucketId)
          ? Effect.flatMap(isPublic(bucket), (found) => (found ? Effect.succeed("anonymous" as const) : notThere))
          : notThere
      ),
    isKnown: (actor) => actor._tag !== "Key" || known.has(actor.hash),
    requireSystem: (actor) => (actor._tag === "System" ? Effect.void : Effect.fail(notSystem)),
    clearCache: Effect.sync(() => {
      generation++
      cache.clear()
      publicBuckets.clear()
    })
  })
})

/** The policy over the access repository. */
export const layer: Layer.Layer<Access, never, AccessRepository> = Layer.effect(Access, make)
