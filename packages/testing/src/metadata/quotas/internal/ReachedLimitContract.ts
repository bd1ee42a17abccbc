/**
 * The contract of limits that are reached: their events, and when they are forgotten.
 */
import { expect } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { EventRepository } from "@holdfast/core/events/EventRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { CurrentQuota } from "@holdfast/core/quotas/CurrentQuota"
import { QuotaRepository } from "@holdfast/core/quotas/QuotaRepository"
import type { ReachedLimit } from "@holdfast/core/quotas/ReachedLimit"
import * as Settings from "@holdfast/core/Settings"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { type Limits, within } from "@holdfast/core/usage/UsageLimits"
import * as Effect from "effect/Effect"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"

const none: Limits = { files: null, bytes: null }

/** Returns the details of the events of a tenant, oldest first. */
const reachedEvents = Effect.fnUntraced(function* (tenantId: string) {
  const events = yield* EventRepository
  const { events: found } = yield* events.list({
    tenantId,
    filter: { action: "quota.reached" },
    order: "OLDEST_FIRST",
    limit: 1000
  })
  for (const { target } of found) expect(target).toMatchObject({ type: "TENANT", id: tenantId })
  return found.map(({ bucketId, detail }) => Object.assign({ bucketId }, detail))
})

const removeFile = Effect.fnUntraced(function* (bucket: BucketRef, fileId: string) {
  const selector = Fixtures.byId(fileId)
  yield* (yield* FileRepository).remove({ bucket, selector, condition: {}, sweepAt: Sample.at() })
})

const forget = Effect.fnUntraced(function* (reached: ReachedLimit, below: number) {
  return yield* (yield* QuotaRepository).forgetReached({ reached, below, now: Sample.at() })
})

export const reachedLimitContract = (it: It): void => {
  for (const owner of ["tenant", "bucket"] as const) {
    it.effect(`quota.reached: files of a ${owner} pass 80 %, then requests are refused → one event for each`, () =>
      Effect.gen(function* () {
        const bucket = yield* Fixtures.bucket()
        const { tenantId } = bucket
        const bucketId = owner === "bucket" ? bucket.bucketId : null
        const add = Fixtures.reserve(bucket).pipe(
          within({ tenant: none, bucket: none, [owner]: { ...none, files: 10 } })
        )
        const first = { owner, bucketId, limit: "files", maximum: 10, percent: 80, use: 8 }
        yield* Effect.replicateEffect(add, 7)
        expect(yield* reachedEvents(tenantId)).toEqual([])
        const files = yield* Effect.replicateEffect(add, 3)
        expect(yield* reachedEvents(tenantId)).toEqual([first])
        yield* Effect.replicateEffect(Effect.flip(add), 3)
        expect(yield* reachedEvents(tenantId)).toEqual([first, { ...first, percent: 100, use: 10 }])
        const reached = { tenantId, bucketId, limit: "files", percent: 100, maximum: 10 } as const
        expect(yield* forget(reached, 8)).toBe(false)
        yield* Effect.forEach(files, ({ id }) => removeFile(bucket, id))
        expect(yield* forget(reached, 8)).toBe(true)
        yield* add
        expect(yield* reachedEvents(tenantId)).toHaveLength(3)
      })
    )
  }

  it.effect("quota.reached: 64 at the same time for 40 places → one event near the limit, one for the refusals", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      yield* Fixtures.concurrently(64, () =>
        Fixtures.reserve(bucket).pipe(within({ tenant: { ...none, files: 40 }, bucket: none }))
      )
      expect(yield* reachedEvents(bucket.tenantId)).toMatchObject([
        { percent: 80, use: 32, maximum: 40 },
        { percent: 100, use: 40, maximum: 40 }
      ])
    })
  )

  it.effect("quota.reached: limit raised, and its new part passed → another event", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const add = (files: number) => Fixtures.reserve(bucket).pipe(within({ tenant: { ...none, files }, bucket: none }))
      yield* Effect.replicateEffect(add(5), 5)
      yield* Effect.replicateEffect(add(10), 3)
      expect(yield* reachedEvents(bucket.tenantId)).toMatchObject([
        { percent: 80, use: 4, maximum: 5 },
        { percent: 80, use: 8, maximum: 10 }
      ])
    })
  )

  it.effect("quota.reached: buckets are created up to the limit and beyond → one event each, the change is made", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const tenantId = yield* Fixtures.tenant
      const create = Effect.suspend(() => buckets.create(tenantId, Sample.bucket())).pipe(
        Effect.provideService(CurrentQuota, { ...Settings.defaults.quota, buckets: 5 })
      )
      yield* Effect.replicateEffect(create, 5)
      yield* Effect.replicateEffect(Effect.flip(create), 3)
      const event = { owner: "tenant", bucketId: null, limit: "buckets", maximum: 5 }
      expect(yield* reachedEvents(tenantId)).toEqual([
        { ...event, percent: 80, use: 4 },
        { ...event, percent: 100, use: 5 }
      ])
    })
  )

  it.effect(
    "listReached and countReached: several limits → listed in parts, tenants counted; tenant removed → forgotten",
    () =>
      Effect.gen(function* () {
        const quotas = yield* QuotaRepository
        const bucket = yield* Fixtures.bucket()
        const { tenantId } = bucket
        const before = yield* quotas.countReached(1000)
        const limits = { ...none, files: 1 }
        const add = Fixtures.reserve(bucket).pipe(within({ tenant: limits, bucket: limits }))
        yield* add
        yield* Effect.flip(add)
        const { near, reached } = yield* quotas.countReached(1000)
        expect([near - before.near, reached - before.reached]).toEqual([1, 1])
        const all: Array<ReachedLimit> = []
        let after: ReachedLimit | undefined
        do {
          const part: ReadonlyArray<ReachedLimit> = yield* quotas.listReached({ after, limit: 1 })
          all.push(...part)
          after = part.at(-1)
        } while (after !== undefined)
        const own = all.filter((one) => one.tenantId === tenantId)
        expect(own).toHaveLength(2)
        yield* (yield* TenantRepository).remove({ tenantId, force: true, sweepAt: Sample.at() })
        for (const one of own) expect(yield* forget(one, 0)).toBe(true)
        expect(yield* quotas.countReached(1000)).toEqual(before)
      })
  )
}
