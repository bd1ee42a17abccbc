/**
 * The contract of `DeliveryRepository`.
 */
import { expect } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import type { AttemptResult, ClaimResult, DeliveryClaim } from "@holdfast/core/webhooks/DeliveryRepository"
import { DeliveryRepository } from "@holdfast/core/webhooks/DeliveryRepository"
import type { WebhookRef } from "@holdfast/core/webhooks/StoredWebhook"
import { WebhookRepository } from "@holdfast/core/webhooks/WebhookRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as WebhookFixtures from "../WebhookFixtures.ts"

const far = Sample.at(1_000_000)

/** Causes an event `bucket.created` of a tenant. Returns the id of the bucket. */
const createBucket = Effect.fnUntraced(function* (tenantId: string) {
  const bucket = Sample.bucket()
  yield* (yield* BucketRepository).create(tenantId, bucket)
  return bucket.id
})

const list = Effect.fnUntraced(function* (webhook: WebhookRef) {
  return yield* (yield* DeliveryRepository).list({ webhook, state: undefined, limit: 100 })
})

const types = (webhook: WebhookRef) => Effect.map(list(webhook), (found) => found.map(({ type }) => type))

/** Claims one webhook; none when it is not claimable. */
const claim = Effect.fnUntraced(function* ({ webhookId }: WebhookRef, now = far, limit = 100) {
  const claims = yield* (yield* DeliveryRepository).claim({
    webhookIds: [webhookId],
    limit,
    lease: Sample.word(),
    leaseUntil: DateTime.add(now, { seconds: 30 }),
    now
  })
  return Option.fromUndefinedOr(claims[0])
})

const getClaim = (webhook: WebhookRef, now?: DateTime.Utc, limit?: number) =>
  Effect.flatMap(claim(webhook, now, limit), Effect.fromOption)

/** Whether a search for work finds a webhook. The store may have others. */
const isDue = Effect.fnUntraced(function* ({ webhookId }: WebhookRef, now = far) {
  const deliveries = yield* DeliveryRepository
  let after: string | null = ""
  let found = false
  while (after !== null) {
    const step: Effect.Success<ReturnType<typeof deliveries.due>> = yield* deliveries.due({ after, limit: 1000, now })
    found ||= step.webhooks.some(({ id }) => id === webhookId)
    after = step.next
  }
  return found
})

const attempt = (
  deliveryId: string,
  state: AttemptResult["next"]["state"],
  until = Sample.at(2_000_000)
): AttemptResult => ({
  deliveryId,
  attempt: {
    at: Sample.at(1),
    status: state === "DELIVERED" ? 204 : 500,
    duration: 12,
    error: state === "DELIVERED" ? null : "STATUS"
  },
  next: { state, until }
})

const works = { failures: 0, failingSince: null, retryAt: DateTime.makeUnsafe(0), disabled: null } as const

const fails = { failures: 3, failingSince: Sample.at(5), retryAt: Sample.at(3_000_000), disabled: null } as const

const complete = Effect.fnUntraced(function* (
  claim: DeliveryClaim,
  attempts: ReadonlyArray<AttemptResult>,
  webhook: ClaimResult["webhook"] = works
) {
  yield* (yield* DeliveryRepository).complete([{ claim, attempts, webhook }])
})

/** Creates a webhook with deliveries of buckets. Returns them, the oldest first. */
const withDeliveries = Effect.fnUntraced(function* (count: number) {
  const made = yield* WebhookFixtures.create(undefined, { eventTypes: ["bucket."] })
  for (let index = 0; index < count; index++) yield* createBucket(made.tenantId)
  return { ...made, ids: (yield* list(made.ref)).map(({ id }) => id).toReversed() }
})

export const deliveryContract = (it: It): void => {
  it.effect("event: webhooks of several types, buckets, states and tenants → deliveries for those that want it", () =>
    Effect.gen(function* () {
      const tenantId = yield* Fixtures.tenant
      const { bucketId } = yield* Fixtures.bucket(tenantId)
      const create = (fields: Parameters<typeof WebhookFixtures.create>[1], owner = tenantId) =>
        Effect.map(WebhookFixtures.create(owner, { eventTypes: ["bucket."], ...fields }), ({ ref }) => ref)
      const all = yield* create({ eventTypes: ["*"] })
      const prefix = yield* create({})
      const exact = yield* create({ eventTypes: ["file.created", "bucket.created"] })
      const others = [
        yield* create({ eventTypes: ["bucket", "bucket.create", "ucket.", "file.", "bucket.created."] }),
        yield* create({ bucketId }),
        yield* create({}, yield* Fixtures.tenant)
      ]
      const disabled = yield* create({})
      yield* (yield* WebhookRepository).update({
        webhook: disabled,
        change: { state: "DISABLED" },
        at: Sample.at()
      })
      const created = yield* createBucket(tenantId)
      for (const ref of [prefix, exact]) expect(yield* types(ref)).toEqual(["bucket.created"])
      expect((yield* types(all))[0]).toBe("bucket.created")
      for (const ref of [...others, disabled]) expect(yield* types(ref)).toEqual([])
      const [delivery] = (yield* getClaim(prefix)).deliveries
      expect(delivery).toMatchObject({ action: "bucket.created", targetId: created, bucketId: created, attempts: 0 })
    })
  )

  it.effect("event: its transaction fails → no delivery", () =>
    Effect.gen(function* () {
      const { ref, tenantId } = yield* withDeliveries(0)
      const bucket = Sample.bucket()
      const buckets = yield* BucketRepository
      yield* buckets.create(tenantId, bucket)
      yield* Effect.flip(buckets.create(tenantId, { ...Sample.bucket(), name: bucket.name }))
      expect(yield* types(ref)).toEqual(["bucket.created"])
    })
  )

  it.effect("test of a webhook → a delivery to this webhook alone", () =>
    Effect.gen(function* () {
      const { ref, tenantId } = yield* WebhookFixtures.create()
      const { ref: other } = yield* WebhookFixtures.create(tenantId)
      const id = yield* (yield* WebhookRepository).test({ webhook: ref, at: Sample.at() })
      const delivery = (yield* list(ref)).find(({ type }) => type === "webhook.test")
      expect(Option.some(delivery?.id)).toEqual(id)
      expect(yield* types(other)).not.toContain("webhook.test")
    })
  )

  it.effect("claim: due → the oldest deliveries; claimed → none until the lease ends", () =>
    Effect.gen(function* () {
      const { ids, ref } = yield* withDeliveries(3)
      expect(yield* isDue(ref)).toBe(true)
      const first = yield* getClaim(ref, far, 2)
      expect(first.deliveries.map(({ id }) => id)).toEqual(ids.slice(0, 2))
      expect(first.webhook.id).toBe(ref.webhookId)
      expect(yield* isDue(ref)).toBe(false)
      expect(yield* claim(ref)).toEqual(Option.none())
      const later = DateTime.add(far, { minutes: 1 })
      expect(yield* isDue(ref, later)).toBe(true)
      expect((yield* getClaim(ref, later)).deliveries).toHaveLength(3)
    })
  )

  it.effect("claim: the clock was years ahead in a claim or a failure → due at once", () =>
    Effect.gen(function* () {
      const ahead = Sample.at(315_360_000_000)
      const [claimed, failed] = [yield* withDeliveries(1), yield* withDeliveries(1)]
      yield* getClaim(claimed.ref, ahead)
      yield* complete(yield* getClaim(failed.ref, ahead), [], {
        ...fails,
        retryAt: DateTime.add(ahead, { minutes: 1 })
      })
      for (const { ids, ref } of [claimed, failed]) {
        expect(yield* isDue(ref)).toBe(true)
        expect((yield* getClaim(ref)).deliveries.map(({ id }) => id)).toEqual(ids)
      }
    })
  )

  it.effect("claim: 20 at once → one of them gets the webhook", () =>
    Effect.gen(function* () {
      const { ref } = yield* withDeliveries(1)
      const claims = yield* Effect.forEach(Array.from({ length: 20 }), () => claim(ref), { concurrency: 20 })
      expect(claims.filter(Option.isSome)).toHaveLength(1)
    })
  )

  it.effect("expireLeases: a claimed webhook → can be claimed at once, and the former claim records nothing", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryRepository
      const { ids, ref } = yield* withDeliveries(1)
      const former = yield* getClaim(ref)
      expect(yield* deliveries.expireLeases()).toBeGreaterThanOrEqual(1)
      expect(yield* isDue(ref)).toBe(true)
      yield* complete(former, [attempt(ids[0] ?? "", "DELIVERED")])
      expect((yield* list(ref))[0]).toMatchObject({ state: "PENDING", attempts: 0 })
      expect((yield* getClaim(ref)).deliveries.map(({ id }) => id)).toEqual(ids)
    })
  )

  it.effect("complete: delivered, to be retried, failed, not attempted → their states, and the webhook is free", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryRepository
      const { ids, ref } = yield* withDeliveries(4)
      const [delivered = "", retried = "", failed = "", rest = ""] = ids
      yield* complete(yield* getClaim(ref), [
        attempt(delivered, "DELIVERED"),
        attempt(retried, "PENDING"),
        attempt(failed, "FAILED")
      ])
      const find = (deliveryId: string) => Effect.map(deliveries.find({ ...ref, deliveryId }), Option.getOrThrow)
      const lastAttempt = { at: Sample.at(1), status: 500, duration: 12, error: "STATUS" }
      expect(yield* find(delivered)).toMatchObject({
        webhookId: ref.webhookId,
        type: "bucket.created",
        state: "DELIVERED",
        attempts: 1,
        lastAttempt: { ...lastAttempt, status: 204, error: null },
        nextAttemptAt: null
      })
      expect(yield* find(retried)).toMatchObject({
        state: "PENDING",
        lastAttempt,
        nextAttemptAt: Sample.at(2_000_000)
      })
      expect(yield* find(failed)).toMatchObject({ state: "FAILED", attempts: 1, lastAttempt, nextAttemptAt: null })
      expect(yield* find(rest)).toMatchObject({ state: "PENDING", attempts: 0, lastAttempt: null, nextAttemptAt: null })
      expect((yield* getClaim(ref)).deliveries.map(({ id }) => id)).toEqual([rest])
      expect((yield* getClaim(ref, Sample.at(2_500_000))).deliveries.map(({ id }) => id)).toEqual([rest, retried])
    })
  )

  it.effect("complete: the lease was lost → nothing recorded", () =>
    Effect.gen(function* () {
      const { ids, ref } = yield* withDeliveries(1)
      const lost = yield* getClaim(ref)
      const current = yield* getClaim(ref, DateTime.add(far, { minutes: 1 }))
      yield* complete(lost, [attempt(ids[0] ?? "", "DELIVERED")], fails)
      expect((yield* list(ref))[0]).toMatchObject({ state: "PENDING", attempts: 0 })
      yield* complete(current, [attempt(ids[0] ?? "", "DELIVERED")])
      expect((yield* list(ref))[0]).toMatchObject({ state: "DELIVERED", attempts: 1 })
    })
  )

  it.effect("complete: the endpoint fails → not due before its time; an update to ACTIVE ends that", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const { ref } = yield* withDeliveries(1)
      yield* complete(yield* getClaim(ref), [], fails)
      expect(Option.getOrThrow(yield* webhooks.find(ref)).failingSince).toEqual(fails.failingSince)
      expect(yield* isDue(ref)).toBe(false)
      expect((yield* getClaim(ref, fails.retryAt)).failures).toBe(3)
      yield* webhooks.update({ webhook: ref, change: { state: "ACTIVE" }, at: Sample.at(9) })
      expect(Option.getOrThrow(yield* webhooks.find(ref)).failingSince).toBeNull()
      expect((yield* getClaim(ref, Sample.at(3_100_000))).failures).toBe(0)
    })
  )

  it.effect("complete: changed by a user meanwhile → the failures of the former URL are ignored", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const { ref } = yield* withDeliveries(1)
      const claimed = yield* getClaim(ref)
      yield* webhooks.update({ webhook: ref, change: { url: "https://example.org/" }, at: Sample.at(9) })
      yield* complete(claimed, [], { ...fails, disabled: "FAILING" })
      expect(Option.getOrThrow(yield* webhooks.find(ref))).toMatchObject({ state: "ACTIVE", failingSince: null })
      expect(yield* isDue(ref)).toBe(true)
    })
  )

  it.effect("replay: failed, of another tenant, unknown → due again; none; none", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryRepository
      const { ids, ref } = yield* withDeliveries(1)
      const delivery = { ...ref, deliveryId: ids[0] ?? "" }
      yield* complete(yield* getClaim(ref), [attempt(delivery.deliveryId, "FAILED")])
      expect(yield* isDue(ref)).toBe(false)
      expect(yield* deliveries.replay({ ...delivery, tenantId: yield* Fixtures.tenant })).toEqual(Option.none())
      expect(yield* deliveries.replay({ ...delivery, deliveryId: Sample.id("evt") })).toEqual(Option.none())
      expect(Option.getOrThrow(yield* deliveries.replay(delivery))).toMatchObject({ state: "PENDING", attempts: 0 })
      expect(yield* isDue(ref)).toBe(true)
      yield* deliveries.deleteEnded({ now: Sample.at(9_000_000), limit: 1000 })
      expect(yield* list(ref)).toHaveLength(1)
    })
  )

  it.effect("find, replay: webhook deleted → none", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryRepository
      const { ids, ref } = yield* withDeliveries(1)
      const delivery = { ...ref, deliveryId: ids[0] ?? "" }
      expect(Option.isSome(yield* deliveries.find(delivery))).toBe(true)
      yield* (yield* WebhookRepository).remove(ref)
      expect(yield* deliveries.find(delivery)).toEqual(Option.none())
      expect(yield* deliveries.replay(delivery)).toEqual(Option.none())
    })
  )

  it.effect("list: states and slices → the newest first", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryRepository
      const { ids, ref } = yield* withDeliveries(3)
      const [first = "", second = "", third = ""] = ids
      yield* complete(yield* getClaim(ref), [attempt(first, "DELIVERED"), attempt(third, "FAILED")])
      const get = (
        query: { readonly state?: "PENDING" | "DELIVERED" | "FAILED"; readonly after?: string },
        limit = 9
      ) =>
        Effect.map(deliveries.list({ webhook: ref, state: query.state, after: query.after, limit }), (found) =>
          found.map(({ id }) => id)
        )
      expect(yield* get({})).toEqual([third, second, first])
      expect(yield* get({}, 1)).toEqual([third])
      expect(yield* get({ after: third }, 1)).toEqual([second])
      expect(yield* get({ state: "DELIVERED" })).toEqual([first])
      expect(yield* get({ state: "FAILED" })).toEqual([third])
      expect(yield* get({ state: "PENDING", after: second })).toEqual([])
      expect(
        yield* deliveries.list({ webhook: { ...ref, tenantId: Sample.id("ten") }, state: undefined, limit: 9 })
      ).toEqual([])
    })
  )

  it.effect("deleteEnded: before and after its time → kept, deleted; pending ones kept", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryRepository
      const { ids, ref } = yield* withDeliveries(3)
      const [first = "", second = "", third = ""] = ids
      const until = Sample.at(-1_000_000)
      yield* complete(yield* getClaim(ref), [
        attempt(first, "DELIVERED", until),
        attempt(second, "FAILED"),
        attempt(third, "PENDING", until)
      ])
      const deleteAt = (now: DateTime.Utc) => deliveries.deleteEnded({ now, limit: 1000 })
      yield* deleteAt(DateTime.subtract(until, { seconds: 1 }))
      expect(yield* list(ref)).toHaveLength(3)
      expect(yield* deleteAt(until)).toBe(1)
      expect((yield* list(ref)).map(({ id }) => id)).toEqual([third, second])
    })
  )

  it.effect("deleteAbandoned: webhook deleted, disabled, active → all, old pending, none", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryRepository
      const webhooks = yield* WebhookRepository
      const removed = yield* withDeliveries(5)
      const disabled = yield* withDeliveries(2)
      const active = yield* withDeliveries(1)
      yield* complete(yield* getClaim(disabled.ref), [attempt(disabled.ids[0] ?? "", "FAILED")])
      yield* webhooks.remove(removed.ref)
      yield* webhooks.update({ webhook: disabled.ref, change: { state: "DISABLED" }, at: Sample.at() })
      const deleteBefore = Effect.fnUntraced(function* (before: DateTime.Utc) {
        let after: string | null = ""
        while (after !== null) after = yield* deliveries.deleteAbandoned({ before, after, limit: 2 })
      })
      yield* deleteBefore(DateTime.makeUnsafe(0))
      expect(yield* list(removed.ref)).toEqual([])
      expect(yield* list(disabled.ref)).toHaveLength(2)
      yield* deleteBefore(DateTime.add(yield* DateTime.now, { hours: 1 }))
      expect((yield* list(disabled.ref)).map(({ state }) => state)).toEqual(["FAILED"])
      expect(yield* list(active.ref)).toHaveLength(1)
    })
  )

  it.effect("reseal: the secret as it was, another one → replaced, kept", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryRepository
      const { ref } = yield* withDeliveries(0)
      const secret = Effect.map((yield* WebhookRepository).find(ref), (found) => Option.getOrThrow(found).secret)
      yield* deliveries.reseal({ webhookId: ref.webhookId, former: "other", current: "new" })
      expect(yield* secret).toBe("sealed")
      yield* deliveries.reseal({ webhookId: ref.webhookId, former: "sealed", current: "new" })
      expect(yield* secret).toBe("new")
    })
  )

  it.effect("queueDepth → pending deliveries, up to the limit", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryRepository
      yield* withDeliveries(3)
      expect(yield* deliveries.queueDepth(2)).toBe(2)
      expect(yield* deliveries.queueDepth(1_000_000)).toBeGreaterThanOrEqual(3)
    })
  )
}
