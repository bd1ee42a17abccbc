/**
 * The contract of `WebhookRepository`.
 */
import { expect } from "@effect/vitest"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { WebhookRepository } from "@holdfast/core/webhooks/WebhookRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as WebhookFixtures from "../WebhookFixtures.ts"

export const webhookContract = (it: It): void => {
  it.effect("create: all fields → found as stored; another tenant or unknown id → none", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const { bucketId, tenantId } = yield* Fixtures.bucket()
      const { ref, webhook } = yield* WebhookFixtures.create(tenantId, {
        eventTypes: ["file.created", "bucket."],
        bucketId
      })
      expect(webhook).toEqual({
        tenantId,
        id: ref.webhookId,
        name: "A webhook",
        url: "https://example.com/events",
        eventTypes: ["file.created", "bucket."],
        bucketId,
        state: "ACTIVE",
        disabledReason: null,
        secret: "sealed",
        formerSecret: null,
        failingSince: null,
        recoveringSince: null,
        createdAt: Sample.at(),
        updatedAt: Sample.at()
      })
      expect(yield* webhooks.find(ref)).toEqual(Option.some(webhook))
      expect(yield* webhooks.find({ ...ref, tenantId: yield* Fixtures.tenant })).toEqual(Option.none())
      expect(yield* webhooks.find({ ...ref, webhookId: Sample.id("whk") })).toEqual(Option.none())
    })
  )

  it.effect("create: unknown tenant, bucket of another tenant → NotFound, nothing stored", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const tenantId = yield* Fixtures.tenant
      const { bucketId } = yield* Fixtures.bucket()
      const create = (webhook: ReturnType<typeof WebhookFixtures.newWebhook>) => Effect.flip(webhooks.create(webhook))
      expect(yield* create(WebhookFixtures.newWebhook(Sample.id("ten")))).toMatchObject({ resource: "tenant" })
      expect(yield* create(WebhookFixtures.newWebhook(tenantId, { bucketId }))).toMatchObject({ resource: "bucket" })
      expect(yield* webhooks.list({ tenantId, limit: 10 })).toEqual([])
    })
  )

  it.effect("list: several webhooks and tenants → those of the tenant, ordered by id, in slices", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const { tenantId, webhook: first } = yield* WebhookFixtures.create()
      const { webhook: second } = yield* WebhookFixtures.create(tenantId)
      yield* WebhookFixtures.create()
      expect(yield* webhooks.list({ tenantId, limit: 10 })).toEqual([first, second])
      expect(yield* webhooks.list({ tenantId, limit: 1 })).toEqual([first])
      expect(yield* webhooks.list({ tenantId, limit: 10, after: first.id })).toEqual([second])
    })
  )

  it.effect("update: some fields → the others stay; disabled and activated → reason REQUESTED, then null", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const { bucketId, tenantId } = yield* Fixtures.bucket()
      const { ref, webhook } = yield* WebhookFixtures.create(tenantId, { bucketId })
      const at = Sample.at(1)
      const renamed = { ...webhook, name: "New", bucketId: null, updatedAt: at }
      const update = (change: Parameters<typeof webhooks.update>[0]["change"]) =>
        webhooks.update({ webhook: ref, change, at })
      expect(yield* update({ name: "New", bucketId: null })).toEqual(Option.some(renamed))
      expect(yield* update({ state: "DISABLED" })).toEqual(
        Option.some({ ...renamed, state: "DISABLED", disabledReason: "REQUESTED" })
      )
      expect(yield* update({ state: "ACTIVE", eventTypes: ["file."], url: "https://example.org/" })).toEqual(
        Option.some({ ...renamed, eventTypes: ["file."], url: "https://example.org/" })
      )
      const stranger = { ...ref, tenantId: yield* Fixtures.tenant }
      expect(yield* webhooks.update({ webhook: stranger, change: { name: "x" }, at })).toEqual(Option.none())
      const foreign = yield* Fixtures.bucket()
      expect(yield* Effect.flip(update({ bucketId: foreign.bucketId }))).toMatchObject({ resource: "bucket" })
    })
  )

  it.effect("rotate: twice → the secret before the last rotation is the former one", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const { ref } = yield* WebhookFixtures.create()
      const rotate = (secret: string, offset: number) =>
        Effect.map(
          webhooks.rotate({ webhook: ref, secret, formerUntil: Sample.at(offset + 1000), at: Sample.at(offset) }),
          Option.map(({ formerSecret, secret }) => ({ formerSecret, secret }))
        )
      expect(yield* rotate("second", 1)).toEqual(
        Option.some({ secret: "second", formerSecret: { secret: "sealed", until: Sample.at(1001) } })
      )
      expect(yield* rotate("third", 2)).toEqual(
        Option.some({ secret: "third", formerSecret: { secret: "second", until: Sample.at(1002) } })
      )
      const missing = { ...ref, webhookId: Sample.id("whk") }
      expect(
        yield* webhooks.rotate({ webhook: missing, secret: "x", formerUntil: Sample.at(), at: Sample.at() })
      ).toEqual(Option.none())
    })
  )

  it.effect("remove: once, again, by another tenant → true, false, false", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const { ref } = yield* WebhookFixtures.create()
      expect(yield* webhooks.remove({ ...ref, tenantId: yield* Fixtures.tenant })).toBe(false)
      expect(yield* webhooks.remove(ref)).toBe(true)
      expect(yield* webhooks.remove(ref)).toBe(false)
      expect(yield* webhooks.find(ref)).toEqual(Option.none())
    })
  )

  it.effect("tenant removed → its webhooks too", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const { ref, tenantId } = yield* WebhookFixtures.create()
      yield* (yield* TenantRepository).remove({ tenantId, force: true, sweepAt: Sample.at() })
      expect(yield* webhooks.find(ref)).toEqual(Option.none())
    })
  )

  it.effect("test: existing and missing webhook → id of the event; none", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const { ref } = yield* WebhookFixtures.create()
      expect(yield* webhooks.test({ webhook: ref, at: Sample.at() })).toEqual(
        Option.some(expect.stringMatching(/^evt_/))
      )
      const missing = { ...ref, webhookId: Sample.id("whk") }
      expect(yield* webhooks.test({ webhook: missing, at: Sample.at() })).toEqual(Option.none())
    })
  )

  it.effect("requestRecovery: again with a later time → the earlier one stays; recover → complete", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const { ref } = yield* WebhookFixtures.create()
      const request = (offset: number) =>
        Effect.map(
          webhooks.requestRecovery({ webhook: ref, since: Sample.at(offset), at: Sample.at(1000) }),
          Option.map(({ recoveringSince }) => recoveringSince)
        )
      expect(yield* request(2)).toEqual(Option.some(Sample.at(2)))
      expect(yield* request(3)).toEqual(Option.some(Sample.at(2)))
      expect(yield* request(1)).toEqual(Option.some(Sample.at(1)))
      let after: string | null = ""
      while (after !== null) after = yield* webhooks.recover({ after, limit: 10 })
      expect(Option.map(yield* webhooks.find(ref), ({ recoveringSince }) => recoveringSince)).toEqual(Option.some(null))
      const missing = { ...ref, webhookId: Sample.id("whk") }
      const now = yield* DateTime.now
      expect(yield* webhooks.requestRecovery({ webhook: missing, since: now, at: now })).toEqual(Option.none())
    })
  )
}
