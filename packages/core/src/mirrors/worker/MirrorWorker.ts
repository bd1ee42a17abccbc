/**
 * The worker: copies pending files for the mirrors of all buckets, beside the workers of other nodes. When its process dies,
 * other workers take over its tasks once the leases have expired; when it is shut down, at once.
 */
import type { Digest } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { onBehalfOf } from "../../CurrentTenant.ts"
import type { Access } from "../../access/Access.ts"
import { FileChangeNotifier } from "../../files/FileChangeNotifier.ts"
import type { Files } from "../../files/Files.ts"
import type { Uploads } from "../../files/Uploads.ts"
import type { Headers } from "../../headers/Headers.ts"
import type { SecretBox } from "../../secrets/SecretBox.ts"
import type { BlobStore } from "../../storage/BlobStore.ts"
import type { MirrorTargets } from "../targets/MirrorTarget.ts"
import * as CopyRunner from "./internal/CopyRunner.ts"
import { copyFile } from "./internal/FileCopy.ts"
import { type DueMirror, MirrorTaskRepository } from "./MirrorTaskRepository.ts"
import { backoff, defaults, type MirrorWorkerOptions } from "./MirrorWorkerOptions.ts"
import * as Reconciliation from "./internal/Reconciliation.ts"
import type { StoredMirror } from "../StoredMirror.ts"
import * as TargetCache from "./internal/TargetCache.ts"

/** Mirrors that one round works on. */
const mirrorsPerRound = 100

/** Returns the effect that runs until interrupted, once everything that it needs is made. */
const make = Effect.fnUntraced(function* (options: MirrorWorkerOptions) {
  const tasks = yield* MirrorTaskRepository
  const notifier = yield* FileChangeNotifier
  const random = yield* SecureRandom
  const openTarget = yield* TargetCache.make
  /** Open when there may be work that the last round did not see. */
  const wake = Latch.makeUnsafe(false)
  const copies = yield* CopyRunner.make(options, wake)
  const reconciliations = yield* FiberMap.make<string>()
  /** The last mirror of the round before, when there were more. */
  let after = ""

  /** Claims tasks of a mirror and starts their copies. `share` is the number of slots for each of the mirrors of a round. */
  const claim = Effect.fnUntraced(function* (mirror: StoredMirror, share: number) {
    const now = yield* DateTime.now
    const active = copies.activeCopies(mirror.id)
    const slots = Math.min(options.slotsPerMirror, share)
    const ahead = copies.claimWindow(mirror.id, DateTime.toEpochMillis(now))
    const isProbe = mirror.failure !== null
    // The first copy of a mirror begins at once. Further tasks are claimed several at a time, since each claim is a transaction.
    if (isProbe || active === 0 ? !copies.hasFreeSlot(mirror.id) : active >= slots + ahead / 2) return
    const limit = Math.max(1, slots + ahead - active)
    const lease = yield* random.uuidV7()
    const leaseUntil = DateTime.addDuration(now, options.lease)
    const claimed = yield* tasks.claim({ mirror, limit, lease, leaseUntil, now })
    yield* Effect.forEach(
      claimed,
      (task) =>
        copies.start(mirror, task, (progress) =>
          Effect.scoped(
            Effect.flatMap(openTarget(mirror), (target) =>
              onBehalfOf(mirror.tenantId)(copyFile({ bucket: mirror, task, target, progress, isProbe }))
            )
          )
        ),
      { discard: true }
    )
  }, Effect.uninterruptible)

  const reconcile = Effect.fnUntraced(function* (mirror: StoredMirror) {
    const lease = { mirrorId: mirror.id, lease: yield* random.uuidV7(), startedAt: yield* DateTime.now }
    const isComplete = yield* Effect.scoped(Reconciliation.run(lease, openTarget(mirror), options)).pipe(
      Effect.catchTag("MirrorTargetError", ({ detail }) =>
        Effect.gen(function* () {
          const now = yield* DateTime.now
          const retryAt = DateTime.addDuration(now, backoff(mirror.failures + 1, options))
          yield* tasks.fail({ mirror, detail, retryAt, now })
          return false
        })
      )
    )
    if (isComplete && mirror.failure !== null) yield* tasks.recover({ mirrorId: mirror.id, now: yield* DateTime.now })
  })

  const startReconciliation = (mirror: StoredMirror) =>
    FiberMap.run(
      reconciliations,
      mirror.id,
      reconcile(mirror).pipe(
        onBehalfOf(mirror.tenantId),
        Effect.catchTag("MetadataError", ({ reason }) =>
          Effect.logWarning("mirror reconciliation stopped; it will be repeated", { mirrorId: mirror.id, reason })
        ),
        Effect.ensuring(wake.open)
      ),
      { onlyIfMissing: true }
    )

  /** Does the work that is due for a mirror. Returns whether there is more that need not wait. */
  const work = Effect.fnUntraced(function* (due: DueMirror, share: number) {
    const { hasTasks, lacksTasks, isRemoved, isSyncWanted, mirror } = due
    const batch = { mirrorId: mirror.id, limit: options.batchSize }
    if (isRemoved) return yield* tasks.clearRemoved(batch)
    const isMore = lacksTasks && (yield* tasks.createTasks({ ...batch, now: yield* DateTime.now }))
    if (isSyncWanted) yield* startReconciliation(mirror)
    // `createTasks` may just have created tasks.
    if (hasTasks || lacksTasks) yield* claim(mirror, share)
    return isMore
  })

  /** Works on the mirrors that are due. Returns whether the next round need not wait. */
  const round = Effect.gen(function* () {
    const changedBuckets = yield* notifier.take
    wake.closeUnsafe()
    const due = yield* tasks.due({ after, limit: mirrorsPerRound, now: yield* DateTime.now })
    const dueBuckets = new Set(due.map(({ mirror }) => mirror.bucketId))
    yield* notifier.ignore([...changedBuckets].filter((bucketId) => !dueBuckets.has(bucketId)))
    after = due.length === mirrorsPerRound ? (due.at(-1)?.mirror.id ?? "") : ""
    const claiming = due.filter(({ hasTasks, lacksTasks }) => hasTasks || lacksTasks).length
    const share = Math.max(1, Math.ceil(options.concurrency / Math.max(1, claiming)))
    const more = yield* Effect.forEach(due, (one) => work(one, share))
    return more.includes(true)
  })

  // The short delays let one round serve several copies that end together, or several files that are written together.
  const waitForWork = Effect.raceAllFirst([
    Effect.andThen(wake.await, Effect.sleep("5 millis")),
    Effect.andThen(notifier.await, Effect.sleep("20 millis")),
    Effect.sleep(options.pollInterval)
  ])

  return round.pipe(
    Effect.catch(({ reason }) =>
      Effect.logWarning("mirror worker: metadata unavailable; retrying", { reason }).pipe(
        Effect.andThen(Effect.sleep(options.pollInterval)),
        Effect.as(false)
      )
    ),
    Effect.flatMap((isMore) => (isMore ? Effect.yieldNow : waitForWork)),
    Effect.forever
  )
})

/** Copies as long as the layer exists. When it closes, the worker releases its tasks for other workers to claim at once. */
export const layer = (
  options: Partial<MirrorWorkerOptions> = {}
): Layer.Layer<
  never,
  never,
  | Access
  | BlobStore
  | Digest
  | Files
  | Headers
  | FileChangeNotifier
  | MirrorTargets
  | MirrorTaskRepository
  | SecretBox
  | SecureRandom
  | Uploads
> => Layer.effectDiscard(Effect.flatMap(make({ ...defaults, ...options }), Effect.forkScoped))
