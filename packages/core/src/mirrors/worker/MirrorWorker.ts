/**
 * The worker: copies what is pending, for the mirrors of all buckets and beside the workers of other nodes. When its process dies
 * others take over once the leases have ended; when it is shut down, at once.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type { Digest } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { Access } from "../../access/Access.ts"
import type { Files } from "../../files/Files.ts"
import type { Uploads } from "../../files/Uploads.ts"
import type { Headers } from "../../headers/Headers.ts"
import type { SecretBox } from "../../secrets/SecretBox.ts"
import type { BlobStore } from "../../storage/BlobStore.ts"
import { copy } from "./FileCopy.ts"
import * as TaskLeases from "./TaskLeases.ts"
import type { MirrorRepository } from "../MirrorRepository.ts"
import { FileChangeNotifier } from "../../files/FileChangeNotifier.ts"
import * as Reconciliation from "./Reconciliation.ts"
import type { MirrorTargets } from "../targets/MirrorTarget.ts"
import { type DueMirror, MirrorTaskRepository } from "./MirrorTaskRepository.ts"
import * as MirrorWorkerOptions from "./MirrorWorkerOptions.ts"
import * as TargetCache from "../targets/TargetCache.ts"
import type { StoredMirror } from "../StoredMirror.ts"

/** Mirrors that are looked at in one round. */
const atOnce = 100

/** What works for ever, once everything that it needs has been made. */
const make = Effect.fnUntraced(function* (options: MirrorWorkerOptions.MirrorWorkerOptions) {
  const tasks = yield* MirrorTaskRepository
  const signal = yield* FileChangeNotifier
  const random = yield* SecureRandom
  const target = yield* TargetCache.make
  const ended = Latch.makeUnsafe(false)
  const holds = yield* TaskLeases.make(options, ended.open)
  const comparing = yield* FiberMap.make<string>()
  let after = ""

  const claim = Effect.fnUntraced(function* (mirror: StoredMirror, share: number) {
    const now = yield* DateTime.now
    const mine = holds.running(mirror.id)
    const places = Math.min(options.slots, share)
    const ahead = holds.ahead(mirror.id, DateTime.toEpochMillis(now))
    // The first one begins at once; further ones are claimed several at a time, since each claim is a transaction.
    const probe = mirror.trouble !== null
    if (probe || mine === 0 ? !holds.hasRoom(mirror.id) : mine >= places + ahead / 2) return
    const limit = Math.max(1, places + ahead - mine)
    const lease = yield* random.uuidV7()
    const claimed = yield* tasks.claim(mirror, limit, lease, now, DateTime.addDuration(now, options.lease))
    yield* Effect.forEach(
      claimed,
      (task) =>
        holds.run(mirror, task, (progress) =>
          Effect.scoped(Effect.flatMap(target(mirror), (opened) => copy(mirror, task, opened, progress, probe)))
        ),
      { discard: true }
    )
  }, Effect.uninterruptible)

  const compare = Effect.fnUntraced(function* (mirror: StoredMirror) {
    const hold = { mirrorId: mirror.id, lease: yield* random.uuidV7(), startedAt: yield* DateTime.now }
    const isComplete = yield* Effect.scoped(Reconciliation.run(hold, target(mirror), options)).pipe(
      Effect.catchTag("MirrorTargetError", (error) =>
        Effect.gen(function* () {
          const now = yield* DateTime.now
          const wait = MirrorWorkerOptions.waitAfter(mirror.failures + 1, options)
          yield* tasks.fail(mirror, error.detail, now, DateTime.addDuration(now, wait))
          return false
        })
      )
    )
    if (isComplete && mirror.trouble !== null) yield* tasks.recover(mirror.id, yield* DateTime.now)
  })

  const sync = (mirror: StoredMirror) =>
    FiberMap.run(
      comparing,
      mirror.id,
      compare(mirror).pipe(
        Effect.catchTag("MetadataError", (error) => Effect.logWarning("A comparison was cut short", error.reason)),
        Effect.ensuring(ended.open)
      ),
      { onlyIfMissing: true }
    )

  /** Whether there is more to do that waits for nothing. */
  const attend = Effect.fnUntraced(function* (due: DueMirror, share: number) {
    const { hasTasks, isFilling, isRemoved, isSyncWanted, mirror } = due
    if (isRemoved) return yield* tasks.clear(mirror.id, options.step)
    const isMore = isFilling && (yield* tasks.fill(mirror.id, options.step, yield* DateTime.now))
    if (isSyncWanted) yield* sync(mirror)
    // What was filled in just now is claimed, too.
    if (hasTasks || isFilling) yield* claim(mirror, share)
    return isMore
  })

  const round = Effect.gen(function* () {
    const told = yield* signal.take
    ended.closeUnsafe()
    const due = yield* tasks.due(yield* DateTime.now, after, atOnce)
    const busy = new Set(due.map(({ mirror }) => mirror.bucketId))
    yield* signal.ignore([...told].filter((bucketId) => !busy.has(bucketId)))
    after = due.length === atOnce ? (due.at(-1)?.mirror.id ?? "") : ""
    const claiming = due.filter(({ hasTasks, isFilling }) => hasTasks || isFilling).length
    const share = Math.max(1, Math.ceil(options.concurrency / Math.max(1, claiming)))
    const more = yield* Effect.forEach(due, (one) => attend(one, share))
    return more.includes(true)
  })

  // Several copies that end together, or files that are written together, take one look.
  const pause = Effect.raceAllFirst([
    Effect.andThen(ended.await, Effect.sleep("5 millis")),
    Effect.andThen(signal.await, Effect.sleep("20 millis")),
    Effect.sleep(options.poll)
  ])
  return round.pipe(
    Effect.catch((error) =>
      Effect.logWarning("The worker of mirrors could not reach the metadata", error.reason).pipe(
        Effect.andThen(Effect.sleep(options.poll)),
        Effect.as(false)
      )
    ),
    Effect.flatMap((isMore) => (isMore ? Effect.yieldNow : pause)),
    Effect.forever
  )
})

/** Copies for as long as the layer lives; when it closes, what runs is given back for another worker to take at once. */
export const layer = (
  options: Partial<MirrorWorkerOptions.MirrorWorkerOptions> = {}
): Layer.Layer<
  never,
  never,
  | Access
  | BlobStore
  | Digest
  | Files
  | Headers
  | MirrorRepository
  | FileChangeNotifier
  | MirrorTargets
  | MirrorTaskRepository
  | SecretBox
  | SecureRandom
  | Uploads
> => Layer.effectDiscard(Effect.flatMap(make({ ...MirrorWorkerOptions.defaults, ...options }), Effect.forkScoped))
