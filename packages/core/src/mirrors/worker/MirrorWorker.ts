/**
 * The worker: copies pending files for the mirrors of all buckets, beside the workers of other nodes. When its process dies,
 * other workers take over its tasks once the leases have expired; when it is shut down, at once.
 */
import type { Digest } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { asBackgroundWork } from "../../BackgroundWork.ts"
import * as Counts from "../../Counts.ts"
import { onBehalfOf } from "../../CurrentTenant.ts"
import type { Access } from "../../access/Access.ts"
import { StorageRoom } from "../../StorageRoom.ts"
import { FileChangeNotifier } from "../../files/FileChangeNotifier.ts"
import type { Downloads } from "../../files/Downloads.ts"
import type { Files } from "../../files/Files.ts"
import type { Uploads } from "../../files/Uploads.ts"
import type { Headers } from "../../headers/Headers.ts"
import type { SecretBox } from "../../secrets/SecretBox.ts"
import type { BlobRepository } from "../../storage/BlobRepository.ts"
import type { BlobStore } from "../../storage/BlobStore.ts"
import { paced } from "../../workers/Pace.ts"
import type { MirrorTargets } from "../targets/MirrorTarget.ts"
import * as CopyPool from "./internal/CopyPool.ts"
import * as CopyRunner from "./internal/CopyRunner.ts"
import { copyFile } from "./internal/FileCopy.ts"
import { type DueMirror, MirrorTaskRepository } from "./MirrorTaskRepository.ts"
import { backoff, defaults, type MirrorWorkerOptions } from "./MirrorWorkerOptions.ts"
import * as Reconciliation from "./internal/Reconciliation.ts"
import type { StoredMirror } from "../StoredMirror.ts"
import * as TargetCache from "./internal/TargetCache.ts"

/** Mirrors that one round works on. */
const mirrorsPerRound = 100

/** How long a round works on all files of mirrors, in milliseconds, beyond one batch for each tenant. */
const roundMillis = 50

/**
 * Reconciliations that run at once for each slot. Those that wait for their next turn have a lease and some objects in memory; those
 * beyond wait until one ends.
 */
const reconciliationsPerSlot = 8

/** The interval between two rounds while there are more mirrors than one round looks at. */
const partialInterval = Duration.millis(50)

/** Returns the effect that runs until interrupted, once everything that it needs is made. */
const make = Effect.fnUntraced(function* (options: MirrorWorkerOptions) {
  const tasks = yield* MirrorTaskRepository
  const room = yield* StorageRoom
  const notifier = yield* FileChangeNotifier
  const random = yield* SecureRandom
  const openTarget = yield* TargetCache.make
  /** Open when there may be work that the last round did not see. */
  const wake = Latch.makeUnsafe(false)
  const copies = yield* CopyRunner.make(options, wake)
  const reconciliations = yield* FiberMap.make<string>()
  /** How many reconciliations of each tenant run, or wait for their next turn. */
  const reconciling = Counts.make<string>()
  const turns = CopyPool.make({ concurrency: options.reconciliations, slotsPerMirror: 1 })
  /** When a reconciliation that did not end may begin again, by mirror; in milliseconds since 1970. */
  const retries = new Map<string, { readonly failures: number; readonly at: number }>()
  /** Where the last round ended its search for work, when there were more mirrors. */
  let after = ""

  /** Claims tasks of a mirror and starts their copies. `share` is the number of slots for each of the mirrors of a round. */
  const claim = Effect.fnUntraced(function* (mirror: StoredMirror, share: number) {
    const now = yield* DateTime.now
    const active = copies.activeCopies(mirror.id)
    const slots = Math.min(options.slotsPerMirror, share)
    const nowMillis = DateTime.toEpochMillis(now)
    const ahead = copies.claimWindow(mirror.id, nowMillis)
    const isProbe = mirror.failure !== null
    // The first copy of a mirror begins at once. Further tasks are claimed several at a time, since each claim is a transaction.
    if (isProbe || active === 0 ? !copies.hasFreeSlot(mirror, nowMillis) : active >= slots + ahead / 2) return
    const limit = Math.max(1, slots + ahead - active)
    const lease = yield* random.uuidV7()
    const leaseUntil = DateTime.addDuration(now, options.lease)
    const claimed = yield* tasks.claim({ mirror, limit, lease, leaseUntil, now })
    yield* Effect.forEach(
      claimed,
      (task) =>
        copies.start(mirror, task, (progress, report) =>
          Effect.scoped(
            Effect.flatMap(openTarget(mirror), (target) =>
              onBehalfOf(mirror.tenantId)(copyFile({ bucket: mirror, task, target, progress, report, isProbe }))
            )
          )
        ),
      { discard: true }
    )
  }, Effect.uninterruptible)

  const reconcile = Effect.fnUntraced(function* (mirror: StoredMirror) {
    const lease = { mirrorId: mirror.id, lease: yield* random.uuidV7(), startedAt: yield* DateTime.now }
    // A page has a limit of its own, and none of its slots is taken.
    const inSlot: Reconciliation.InSlot = (turn) =>
      turns.run({ mirror, isProbe: true }, ({ responded }) => Effect.andThen(Effect.sync(responded), turn))
    const isComplete = yield* Effect.scoped(Reconciliation.run(lease, openTarget(mirror), options, inSlot)).pipe(
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

  /** Delays the next attempt at a reconciliation that the metadata, or a defect, ended: it is still due. */
  const delayRetry = Effect.fnUntraced(function* (mirrorId: string) {
    const now = yield* Clock.currentTimeMillis
    const failures = (retries.get(mirrorId)?.failures ?? 0) + 1
    // Those that are long due belong to mirrors that were removed, or that another worker reconciles.
    for (const [id, { at }] of retries) if (now - at > Duration.toMillis(options.maxBackoff)) retries.delete(id)
    const delay = Duration.max(backoff(failures, options), options.pollInterval)
    retries.set(mirrorId, { failures, at: now + Duration.toMillis(delay) })
  })

  /** Starts a reconciliation, unless too many run or it has to wait after a failure: it stays due. */
  const startReconciliation = Effect.fnUntraced(function* (mirror: StoredMirror) {
    const isFull =
      reconciling.total() >= options.reconciliations * reconciliationsPerSlot ||
      reconciling.get(mirror.tenantId) >= options.reconciliationsPerTenant
    if (isFull || FiberMap.hasUnsafe(reconciliations, mirror.id)) return
    if ((retries.get(mirror.id)?.at ?? 0) > (yield* Clock.currentTimeMillis)) return
    reconciling.add(mirror.tenantId, 1)
    yield* FiberMap.run(
      reconciliations,
      mirror.id,
      reconcile(mirror).pipe(
        onBehalfOf(mirror.tenantId),
        Effect.andThen(Effect.sync(() => retries.delete(mirror.id))),
        Effect.catchTag("MetadataError", ({ reason }) =>
          Effect.logWarning("mirror reconciliation stopped; it will be repeated", { mirrorId: mirror.id, reason }).pipe(
            Effect.andThen(delayRetry(mirror.id))
          )
        ),
        Effect.catchDefect((defect) =>
          Effect.logError(
            "defect in a mirror reconciliation; it will be repeated",
            { mirrorId: mirror.id },
            defect
          ).pipe(Effect.andThen(delayRetry(mirror.id)))
        ),
        Effect.onExit(() => {
          reconciling.add(mirror.tenantId, -1)
          return wake.open
        })
      )
    )
  })

  /** Does one batch of the work on all files of a mirror. Returns whether there is more that need not wait. */
  const workOnFiles = Effect.fnUntraced(function* ({ hasRetries, isRemoved, lacksTasks, mirror }: DueMirror) {
    const batch = { mirrorId: mirror.id, limit: options.batchSize }
    if (isRemoved) return yield* tasks.clearRemoved(batch)
    const retries = hasRetries && (yield* tasks.retryTasks(batch))
    const creates = lacksTasks && (yield* Effect.isSuccess(room.forRecord))
    return (creates && (yield* tasks.createTasks({ ...batch, now: yield* DateTime.now }))) || retries
  })

  /**
   * Does one batch for a mirror of each tenant, and then for further mirrors while the time of a round lasts: the mirrors of one
   * tenant keep those of another waiting for that time at most. Returns whether there is more that need not wait.
   */
  const workOnSome = Effect.fnUntraced(function* (mirrors: ReadonlyArray<DueMirror>) {
    const firsts = new Map(mirrors.map((due) => [due.mirror.tenantId, due]))
    const others = mirrors.filter((due) => firsts.get(due.mirror.tenantId) !== due)
    const start = yield* Clock.currentTimeMillis
    let isMore = false
    for (const [index, due] of [...firsts.values(), ...others].entries()) {
      if (index >= firsts.size && (yield* Clock.currentTimeMillis) - start >= roundMillis) return true
      if (yield* paced(workOnFiles(due))) isMore = true
    }
    return isMore
  })

  /** Works on the mirrors that are due. Returns whether the next round need not wait, and whether it looks at further mirrors. */
  const round = Effect.gen(function* () {
    const changedBuckets = yield* notifier.take
    wake.closeUnsafe()
    const isFromStart = after === ""
    const { mirrors, next } = yield* tasks.due({ after, limit: mirrorsPerRound, now: yield* DateTime.now })
    const isWhole = isFromStart && next === null && mirrors.length < mirrorsPerRound
    const dueBuckets = new Set(mirrors.map(({ mirror }) => mirror.bucketId))
    if (isWhole) yield* notifier.ignore([...changedBuckets].filter((bucketId) => !dueBuckets.has(bucketId)))
    after = next ?? ""
    const withFiles = mirrors.filter(({ hasRetries, isRemoved, lacksTasks }) => hasRetries || isRemoved || lacksTasks)
    const isMore = yield* workOnSome(withFiles)
    yield* Effect.forEach(
      mirrors,
      ({ isSyncWanted, mirror }) => (isSyncWanted ? startReconciliation(mirror) : Effect.void),
      { discard: true }
    )
    // A batch may just have created tasks, or made tasks due.
    const claiming = mirrors.filter((due) => !due.isRemoved && (due.hasTasks || due.lacksTasks || due.hasRetries))
    const ofTenants = Map.groupBy(claiming, ({ mirror }) => mirror.tenantId)
    yield* Effect.forEach(
      claiming,
      ({ mirror }) => {
        const rivals = ofTenants.size * (ofTenants.get(mirror.tenantId)?.length ?? 1)
        return claim(mirror, Math.max(1, Math.ceil(options.concurrency / rivals)))
      },
      { discard: true }
    )
    return { isMore, isPartial: next !== null || mirrors.length === mirrorsPerRound }
  })

  // The short delays let one round serve several copies that end together, or several files that are written together.
  const waitForWork = (interval: Duration.Input) =>
    Effect.raceAllFirst([
      Effect.andThen(wake.await, Effect.sleep("5 millis")),
      Effect.andThen(notifier.await, Effect.sleep("20 millis")),
      Effect.sleep(interval)
    ])

  return round.pipe(
    Effect.catch(({ reason }) =>
      Effect.logWarning("mirror worker: metadata unavailable; retrying", { reason }).pipe(
        Effect.andThen(Effect.sleep(options.pollInterval)),
        Effect.as({ isMore: false, isPartial: false })
      )
    ),
    Effect.flatMap(({ isMore, isPartial }) =>
      isMore ? Effect.yieldNow : waitForWork(isPartial ? partialInterval : options.pollInterval)
    ),
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
  | BlobRepository
  | BlobStore
  | Digest
  | Downloads
  | Files
  | Headers
  | FileChangeNotifier
  | MirrorTargets
  | MirrorTaskRepository
  | SecretBox
  | SecureRandom
  | Uploads
> => Layer.effectDiscard(asBackgroundWork(Effect.flatMap(make({ ...defaults, ...options }), Effect.forkScoped)))
