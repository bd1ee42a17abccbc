/**
 * Tests of mirrors, each with its own services.
 */
import { it } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import * as ApiKey from "@holdfast/core/access/ApiKey"
import * as Accounts from "@holdfast/core/accounts/Accounts"
import * as FilesByKey from "@holdfast/core/files/keys/FilesByKey"
import * as Members from "@holdfast/core/members/Members"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Settings from "@holdfast/core/Settings"
import * as Tenants from "@holdfast/core/tenants/Tenants"
import type { RoleId } from "@holdfast/core/Role"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/** Changes of permissions take effect at once. */
const settings = Layer.succeed(Settings.Settings, { ...Settings.defaults, accessCache: Duration.zero })

/** All services, with metadata, blobs and targets in memory. */
const services = Layer.mergeAll(Accounts.layer, FilesByKey.layer, Tenants.layer, Members.layer).pipe(
  Layer.provideMerge(MirrorHarness.layer(SqliteMetadata.layer({ file: ":memory:" }))),
  Layer.provideMerge(settings)
)

export type Services = Layer.Success<typeof services> | Scope.Scope

/** Registers a test that has its own services, in real time. */
export const test = <E>(name: string, body: Effect.Effect<void, E, Services>): void =>
  it.live(name, () => Effect.provide(Effect.scoped(body), Layer.fresh(services)))

/** As `test`, with a clock that only the test moves. */
export const testClocked = <E>(name: string, body: Effect.Effect<void, E, Services>): void =>
  it.effect(name, () => Effect.provide(Effect.scoped(body), Layer.fresh(services)))

/** Adds a member with a role to a tenant. Returns the actor, and the key as a text. */
export const addMember = Effect.fnUntraced(function* (tenantId: string, role: RoleId) {
  const email = `${Sample.word()}@example.com`
  const { key } = yield* (yield* Accounts.Accounts).createKey(Actor.system, { email, name: "a" })
  const added = yield* (yield* Members.Members).add(Actor.system, tenantId, { user: { email }, role: { id: role } })
  return { key, actor: yield* ApiKey.identify(Redacted.value(key)), memberId: added.id }
})
