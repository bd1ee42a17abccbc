/**
 * The contract of `WebhookRepository` for tests and recoveries, which queue deliveries.
 */
import { expect } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { createdAt } from "@holdfast/core/Ids"
import { DeliveryRepository } from "@holdfast/core/webhooks/DeliveryRepository"
import type { WebhookRef } from "@holdfast/core/webhooks/StoredWebhook"
import { WebhookRepository } from "@holdfast/core/webhooks/WebhookRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as WebhookFixtures from "../WebhookFixtures.ts"

const now = Sample.at(1_000_000)

const list = (webhook: WebhookRef) =>
  Effect.flatMap(DeliveryRepository, (deliveries) => deliveries.list({ webhook, state: undefined, limit: 100 }))

/** Returns the ids of the deliveries in a state, the oldest first. */
const inState = (webhook: WebhookRef, state: "PENDING" | "DELIVERED" | "FAILED") =>
  Effect.map(list(webhook), (found) =>
    found.flatMap((delivery) => (delivery.state === state ? [delivery.id] : [])).toReversed()
  )

/** Creates a webhook with this many deliveries of buckets, and ends them: those at odd positions FAILED. Returns their ids. */
const withEnded = Effect.fnUntraced(function* (count: number) {
  const made = yield* WebhookFixtures.create(undefined, { eventTypes: ["bucket.created"] })
  const buckets = yield* BucketRepository
  for (let index = 0; index < count; index++) yield* buckets.create(made.tenantId, Sample.bucket())
  const deliveries = yield* DeliveryRepository
  const lease = Sample.word()
  const leaseUntil = DateTime.add(now, { seconds: 30 })
  const [claim] = yield* deliveries.claim({ webhookIds: [made.webhook.id], limit: count, lease, leaseUntil, now })
  const ids = (yield* list(made.ref)).map(({ id }) => id).toReversed()
  if (claim === undefined) return { ...made, ids }
  const attempts = ids.map((deliveryId, index) => {
    const isFailed = index % 2 === 1
    return {
      deliveryId,
      attempt: { at: now, status: isFailed ? 500 : 200, duration: 1, error: isFailed ? ("STATUS" as const) : null },
      next: { state: isFailed ? ("FAILED" as const) : ("DELIVERED" as const), until: Sample.at(9_000_000_000) }
    }
  })
  const webhook = { failures: 0, failingSince: null, retryAt: DateTime.makeUnsafe(0), disabled: null }
  yield* deliveries.complete([{ claim, attempts, webhook }])
  return { ...made, ids }
})

/** Completes all recoveries, and returns how many steps that took for the webhook. */
const recoverAll = Effect.fnUntraced(function* ({ webhookId }: WebhookRef, limit: number) {
  const webhooks = yield* WebhookRepository
  let steps = 0
  let found: boolean
  do {
    found = false
    let after: string | null = ""
    while (after !== null) {
      after = yield* webhooks.recover({ after, limit })
      if (after !== null) found = true
      if (after === webhookId) steps += 1
    }
  } while (found)
  return steps
})

const later = Effect.map(DateTime.now, (time) => DateTime.add(time, { minutes: 1 }))

export const recoveryContract = (it: It): void => {
  it.effect("recover: failed and delivered ones → the failed ones are PENDING with no attempts, in batches", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const { ids, ref } = yield* withEnded(10)
      const failed = ids.filter((_, index) => index % 2 === 1)
      expect(yield* inState(ref, "FAILED")).toEqual(failed)
      yield* webhooks.requestRecovery({ webhook: ref, since: DateTime.makeUnsafe(0), at: yield* later })
      expect(yield* recoverAll(ref, 2)).toBe(3)
      expect(yield* inState(ref, "PENDING")).toEqual(failed)
      expect(yield* inState(ref, "FAILED")).toEqual([])
      expect((yield* list(ref)).filter(({ state }) => state === "PENDING")).toEqual(
        failed.map(() => expect.objectContaining({ attempts: 0 }))
      )
      expect(Option.map(yield* webhooks.find(ref), ({ recoveringSince }) => recoveringSince)).toEqual(Option.some(null))
    })
  )

  it.effect("recover: events before the time, and of another webhook → stay FAILED", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const { ids, ref } = yield* withEnded(4)
      const other = yield* withEnded(2)
      const [first = "", second = ""] = ids.filter((_, index) => index % 2 === 1)
      // Ids of one client are in order, also within one millisecond.
      const since = DateTime.makeUnsafe(createdAt(second) + 1)
      yield* webhooks.requestRecovery({ webhook: ref, since, at: yield* later })
      yield* recoverAll(ref, 100)
      expect(yield* inState(ref, "FAILED")).toEqual([first, second])
      yield* webhooks.requestRecovery({ webhook: ref, since: DateTime.makeUnsafe(createdAt(first)), at: yield* later })
      yield* recoverAll(ref, 100)
      expect(yield* inState(ref, "PENDING")).toEqual([first, second])
      expect(yield* inState(other.ref, "FAILED")).toHaveLength(1)
    })
  )

  it.effect("test → one delivery webhook.test to this webhook alone, whatever its event types are", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookRepository
      const { ref, tenantId } = yield* WebhookFixtures.create(undefined, { eventTypes: ["file."] })
      const { ref: other } = yield* WebhookFixtures.create(tenantId, { eventTypes: ["file."] })
      const id = Option.getOrThrow(yield* webhooks.test({ webhook: ref, at: now }))
      expect(yield* list(ref)).toMatchObject([{ id, type: "webhook.test", state: "PENDING" }])
      expect(yield* list(other)).toEqual([])
    })
  )
}
