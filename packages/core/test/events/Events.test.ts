import { expect, layer } from "@effect/vitest"
import * as ApiKey from "@holdfast/core/access/ApiKey"
import { Accounts } from "@holdfast/core/accounts/Accounts"
import * as Actor from "@holdfast/core/Actor"
import { Events } from "@holdfast/core/events/Events"
import * as Holdfast from "@holdfast/core/Holdfast"
import * as MirrorTarget from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as SecretBox from "@holdfast/core/secrets/SecretBox"
import { Tenants } from "@holdfast/core/tenants/Tenants"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as FakeTranscoder from "@holdfast/testing/transcoding/FakeTranscoder"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const services = Holdfast.layer.pipe(
  Layer.provideMerge([
    MemoryMetadata.layer,
    MemoryBlobStore.layer,
    FakeTranscoder.layer,
    MirrorTarget.layerNone,
    SecretBox.layerNone,
    SecureRandom.layerWebCrypto,
    Digest.layerWebCrypto
  ])
)

layer(services)("events", (it) => {
  it.effect(
    "list without a tenant: deployment → its account keys, one event for a key that is stored twice; others → Forbidden",
    () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const events = yield* Events
        const own = yield* ApiKey.mint
        const first = yield* accounts.createKey(Actor.system, { email: "a@example.com", name: "first" }, own)
        yield* accounts.createKey(Actor.system, { email: "a@example.com", name: "again" }, own)
        yield* accounts.revokeKey(Actor.system, first.id)
        const { items } = yield* events.list(Actor.system, null, { order: "OLDEST_FIRST" })
        expect(items.map(({ action, target }) => [action, target.name])).toEqual([
          ["account.created", "a@example.com"],
          ["account_key.created", "first"],
          ["account_key.revoked", "first"]
        ])
        expect(JSON.stringify(items)).not.toContain(own.hash)
        const { key } = yield* accounts.createKey(Actor.system, { email: "b@example.com", name: "b" })
        const stranger = yield* ApiKey.identify(Redacted.value(key))
        expect((yield* Effect.flip(events.list(stranger, null, {})))._tag).toBe("Forbidden")
      })
  )

  it.effect("list: changes by an account and by the deployment, without a request → their actors, no address", () =>
    Effect.gen(function* () {
      const events = yield* Events
      const tenants = yield* Tenants
      const { account, id, key } = yield* (yield* Accounts).createKey(Actor.system, {
        email: "c@example.com",
        name: "c"
      })
      const actor = yield* ApiKey.identify(Redacted.value(key))
      const tenant = yield* tenants.create(actor, { name: "T", subdomain: "tenant-of-c" })
      yield* tenants.update(Actor.system, tenant.id, { name: "U" })
      const { items } = yield* events.list(actor, tenant.id, { action: "tenant." })
      expect(items).toMatchObject([
        { action: "tenant.updated", actor: { kind: "SYSTEM", accountId: null, tokenId: null } },
        {
          action: "tenant.created",
          actor: { kind: "ACCOUNT", accountId: account.id, tokenId: id },
          clientAddress: null,
          requestId: null
        }
      ])
    })
  )
})
