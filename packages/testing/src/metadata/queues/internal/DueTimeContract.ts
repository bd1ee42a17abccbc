/**
 * The contract of `DeploymentRepository.bringForward`: work that was queued while a clock was years ahead. The tests work at a time after
 * that of all others.
 */
import { expect } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { DeploymentRepository } from "@holdfast/core/deployment/DeploymentRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { DamageRepository } from "@holdfast/core/integrity/DamageRepository"
import { PosterRepository } from "@holdfast/core/posters/PosterRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import { DeliveryRepository } from "@holdfast/core/webhooks/DeliveryRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ConversionFixtures from "../../conversions/internal/ConversionFixtures.ts"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as MirrorFixtures from "../../mirrors/MirrorFixtures.ts"
import * as UploadFixtures from "../../internal/UploadFixtures.ts"
import * as PosterFixtures from "../../posters/PosterFixtures.ts"
import * as Sample from "../../Sample.ts"
import * as WebhookFixtures from "../../webhooks/WebhookFixtures.ts"

const twentyYears = 630_720_000_000

const now = Sample.at(twentyYears)
const ahead = Sample.at(2 * twentyYears)
const days = (count: number) => DateTime.add(now, { days: count })
const afterGrace = DateTime.add(now, { days: 31, milliseconds: 1 })
const terms = { now, leaseUntil: DateTime.add(now, { minutes: 1 }), sweepAt: now }

/** Claims until nothing is due. Returns whether an entry of a content was among the claimed ones. */
const isClaimed = Effect.fnUntraced(function* <E, R>(
  blobId: string,
  claim: Effect.Effect<Option.Option<{ readonly blobId: string }>, E, R>
) {
  let found = false
  for (let next = yield* claim; Option.isSome(next); next = yield* claim) found ||= next.value.blobId === blobId
  return found
})

/** Makes a conversion that is READY; its ladder and its pictures are due at a time. */
const makeReady = Effect.gen(function* () {
  const { claim, source } = yield* ConversionFixtures.claimed()
  yield* ConversionFixtures.publish(claim, ["index0.ts"], {
    isFinished: true,
    progress: 1,
    ladderDueAt: ahead,
    picturesDueAt: ahead
  })
  return source.blobId
})

const claimConversion = Effect.flatMap(ConversionRepository, ({ claim }) => claim({ ...terms, ladders: true }))

/** Claims the only delivery of a new webhook. */
const claimDelivery = Effect.gen(function* () {
  const deliveries = yield* DeliveryRepository
  const { ref, tenantId } = yield* WebhookFixtures.create(undefined, { eventTypes: ["bucket."] })
  yield* (yield* BucketRepository).create(tenantId, Sample.bucket())
  const claim = deliveries.claim({ ...terms, webhookIds: [ref.webhookId], limit: 10, lease: "lease" })
  const [claimed] = yield* claim
  const [delivery] = claimed?.deliveries ?? []
  if (claimed === undefined || delivery === undefined) return yield* Effect.die("The webhook has a delivery.")
  const attempt = { at: now, status: 500, duration: 1, error: "STATUS" } as const
  const webhook = { failures: 0, failingSince: null, retryAt: now, disabled: null }
  return {
    ...deliveries,
    ref: { ...ref, deliveryId: delivery.id },
    claim,
    complete: (next: { readonly state: "PENDING" | "DELIVERED"; readonly until: DateTime.Utc }) =>
      deliveries.complete([{ claim: claimed, attempts: [{ deliveryId: delivery.id, attempt, next }], webhook }]),
    release: (other: typeof claimed) => deliveries.complete([{ claim: other, attempts: [], webhook }])
  }
})

/** For each queue, adds an entry that is due years ahead. Returns the effect that says whether it is due. */
const queues = {
  conversions: Effect.gen(function* () {
    const video = yield* ConversionFixtures.video
    yield* ConversionFixtures.request(video, "hls", ahead)
    return isClaimed(video.source.blobId, claimConversion)
  }),
  ladders: Effect.map(makeReady, (blobId) => isClaimed(blobId, claimConversion)),
  pictures: Effect.gen(function* () {
    const blobId = yield* makeReady
    return isClaimed(blobId, (yield* ConversionRepository).claimPoster(terms))
  }),
  "posters that are set": Effect.gen(function* () {
    const posters = yield* PosterRepository
    const video = yield* ConversionFixtures.video
    yield* posters.set(PosterFixtures.newPoster(video, { time: 1, image: null, updatedAt: ahead }))
    return isClaimed(video.source.blobId, posters.claim(terms))
  }),
  "blobs to remove": Effect.gen(function* () {
    const bucket = yield* Fixtures.bucket()
    const { content, id } = yield* Fixtures.store(bucket)
    const selector = Fixtures.byId(id)
    yield* (yield* FileRepository).remove({ bucket, selector, condition: {}, sweepAt: ahead })
    return Fixtures.isDue(content.blobId, days(31))
  }),
  "uploads whose bytes are lost": Effect.gen(function* () {
    const blobs = yield* BlobRepository
    const blobId = yield* Fixtures.stage(yield* Fixtures.bucket(), ahead)
    return Effect.gen(function* () {
      yield* blobs.expire({ before: afterGrace })
      return (yield* Fixtures.blob(blobId))?.state === "DOOMED"
    })
  }),
  "uploads in parts": Effect.gen(function* () {
    const uploads = yield* UploadRepository
    const upload = yield* UploadFixtures.open(yield* Fixtures.bucket(), { expiresAt: ahead })
    return Effect.gen(function* () {
      yield* uploads.deleteExpired({ now: afterGrace, limit: 1_000_000 })
      return Option.isNone(yield* uploads.find(UploadFixtures.refOf(upload)))
    })
  }),
  "ended deliveries of webhooks": Effect.gen(function* () {
    const { complete, deleteEnded, find, ref } = yield* claimDelivery
    yield* complete({ state: "DELIVERED", until: ahead })
    return Effect.gen(function* () {
      yield* deleteEnded({ now: afterGrace, limit: 1_000_000 })
      return Option.isNone(yield* find(ref))
    })
  }),
  "repairs of damaged contents": Effect.gen(function* () {
    const damage = yield* DamageRepository
    const bucket = yield* Fixtures.bucket()
    const { blobId } = (yield* Fixtures.store(bucket)).content
    yield* damage.record({ blob: { ...bucket, blobId }, kind: "Damaged", at: ahead })
    return Effect.map(damage.claimDue({ ...terms, limit: 1_000_000 }), (due) =>
      due.some((blob) => blob.blobId === blobId)
    )
  }),
  "deliveries of webhooks": Effect.gen(function* () {
    const { claim, complete, release } = yield* claimDelivery
    yield* complete({ state: "PENDING", until: ahead })
    return Effect.gen(function* () {
      const [next] = yield* claim
      if (next !== undefined) yield* release(next)
      return next?.deliveries.length === 1
    })
  }),
  "files of mirrors": Effect.gen(function* () {
    const { bucket, mirror } = yield* MirrorFixtures.create()
    yield* Fixtures.store(bucket, { updatedAt: ahead })
    return Effect.map(MirrorFixtures.claim(mirror, now, { until: twentyYears + 60_000 }), (tasks) => tasks.length === 1)
  })
}

export const dueTimeContract = (it: It): void => {
  for (const [name, add] of Object.entries(queues)) {
    it.effect(`${name}: due years ahead → brought forward; not a second time`, () =>
      Effect.gen(function* () {
        const { bringForward } = yield* DeploymentRepository
        yield* bringForward(now)
        const isDue: Effect.Effect<boolean, unknown, Effect.Services<(typeof queues)[keyof typeof queues]>> = yield* add
        expect(yield* isDue).toBe(false)
        expect(yield* bringForward(now)).toBeGreaterThan(0)
        expect(yield* isDue).toBe(true)
        expect(yield* bringForward(now)).toBe(0)
      })
    )
  }

  it.effect("due within two days, blobs to remove and uploads within 31 → unchanged", () =>
    Effect.gen(function* () {
      const { bringForward } = yield* DeploymentRepository
      yield* bringForward(now)
      const bucket = yield* Fixtures.bucket()
      const { content, id } = yield* Fixtures.store(bucket)
      yield* (yield* FileRepository).remove({
        bucket,
        selector: Fixtures.byId(id),
        condition: {},
        sweepAt: days(31)
      })
      yield* ConversionFixtures.request(yield* ConversionFixtures.video, "hls", days(2))
      yield* UploadFixtures.open(bucket, { expiresAt: days(31) })
      expect(yield* bringForward(now)).toBe(0)
      expect(yield* Fixtures.isDue(content.blobId, days(31))).toBe(true)
    })
  )
}
