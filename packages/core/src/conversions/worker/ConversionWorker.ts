/**
 * The conversion worker: claims conversions that were requested on any node, and runs each until it is READY or FAILED. The
 * tenants take turns (`internal/Turns.ts`): a long conversion is suspended while those of other tenants wait. If its process
 * dies, another worker claims the conversion after the lease has expired; if the worker is shut down, at once.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import { asBackgroundWork, repeatStep } from "../../BackgroundWork.ts"
import { onBehalfOf } from "../../CurrentTenant.ts"
import { Settings } from "../../Settings.ts"
import type { BlobRepository } from "../../storage/BlobRepository.ts"
import type { BlobStore } from "../../storage/BlobStore.ts"
import type { Transcoder } from "../../transcoding/Transcoder.ts"
import type { ConversionClaim } from "../ConversionClaim.ts"
import { ConversionNotifier } from "../ConversionNotifier.ts"
import { type ConversionFailure, ConversionRepository } from "../ConversionRepository.ts"
import * as ConversionOutcome from "./internal/ConversionOutcome.ts"
import * as ConversionWorkerOptions from "./ConversionWorkerOptions.ts"
import type { ConversionWorkspace } from "./ConversionWorkspace.ts"
import type { PosterRepository } from "../../posters/PosterRepository.ts"
import * as PosterTasks from "./internal/PosterTasks.ts"
import { runConversion } from "./internal/RunConversion.ts"
import * as Turns from "./internal/Turns.ts"

/** A conversion that this worker has claimed. */
interface ClaimedRun extends Turns.Run {
  readonly claim: ConversionClaim
  readonly suspended: SubscriptionRef.SubscriptionRef<boolean>
}

/** Runs until interrupted. */
const work = Effect.fnUntraced(function* (options: ConversionWorkerOptions.ConversionWorkerOptions) {
  const repository = yield* ConversionRepository
  const notifier = yield* ConversionNotifier
  const { blobGrace } = yield* Settings

  const fail = Effect.fnUntraced(function* (claim: ConversionClaim, failure: ConversionFailure) {
    yield* repository.fail(claim, failure)
    if (!claim.isLadder) return
    yield* Effect.annotateLogs(Effect.logWarning("further renditions not made; the stream plays without them"), {
      reason: failure.fault.detail
    })
  })

  const record = Effect.fnUntraced(function* (claim: ConversionClaim, outcome: ConversionOutcome.ConversionOutcome) {
    const now = yield* DateTime.now
    const sweepAt = DateTime.addDuration(now, blobGrace)
    switch (outcome._tag) {
      case "LeaseLost":
        return
      case "Failed":
        return yield* fail(claim, { fault: outcome.fault, now, sweepAt })
      case "Retry": {
        if (claim.attempts >= options.maxAttempts) {
          return yield* fail(claim, { fault: outcome.fault, now, sweepAt })
        }
        const backoff = Duration.times(options.retryDelay, 2 ** (claim.attempts - 1))
        const retryAt = DateTime.addDuration(now, backoff)
        return yield* repository.release(claim, { retryAt, countAttempt: true, sweepAt })
      }
      case "Encode":
        return yield* repository.release(claim, { retryAt: now, countAttempt: false, sweepAt, mode: outcome.mode })
      case "Released":
        return yield* repository.release(claim, {
          retryAt: DateTime.addDuration(now, outcome.delay),
          countAttempt: false,
          sweepAt
        })
    }
  })

  /** Records an outcome. If that fails, the lease expires and another worker claims the conversion. */
  const complete = (claim: ConversionClaim, outcome: ConversionOutcome.ConversionOutcome) =>
    record(claim, outcome).pipe(
      Effect.andThen(notifier.notifyProgress),
      Effect.catchTags({
        LeaseLost: () => Effect.logDebug("conversion lease lost before its outcome was recorded"),
        MetadataError: ({ reason }) =>
          Effect.annotateLogs(Effect.logWarning("conversion outcome not recorded; its lease will expire"), { reason })
      })
    )

  const attempt = Effect.fnUntraced(function* ({ claim, suspended }: ClaimedRun) {
    if (claim.takesOver) {
      yield* Effect.annotateLogs(Effect.logWarning("conversion taken over: the lease of its worker expired"), {
        interruptions: claim.interruptions
      })
    }
    const early = ConversionOutcome.beforeRun(claim, options)
    if (early !== undefined) return yield* complete(claim, early)
    const run = onBehalfOf(claim.tenantId)(runConversion(claim, suspended, options))
    const exit = yield* Effect.exit(Effect.interruptible(run))
    if (Exit.isSuccess(exit)) return
    const outcome = ConversionOutcome.fromCause(exit.cause, claim.mode)
    if (outcome._tag === "Retry") {
      yield* Effect.annotateLogs(Effect.logWarning("conversion attempt failed", exit.cause), {
        attempts: claim.attempts,
        maxAttempts: options.maxAttempts
      })
    }
    yield* complete(claim, outcome)
  })

  const turns = Turns.make<ClaimedRun>({
    slots: options.concurrency,
    slice: Duration.toMillis(options.slice),
    maxSuspended: options.concurrency * options.suspendedPerSlot
  })
  const fibers = yield* FiberSet.make<void>()
  const ended = yield* Latch.make(false)

  const claimNext = Effect.fnUntraced(function* ({ dueBy, exceptTenants, ladders }: Turns.Queued, now: DateTime.Utc) {
    return yield* repository.claim({
      now,
      leaseUntil: DateTime.addDuration(now, options.lease),
      sweepAt: DateTime.addDuration(now, blobGrace),
      dueBy: DateTime.makeUnsafe(dueBy),
      exceptTenants,
      ladders
    })
  })

  /** Runs a claimed conversion in a fiber of its own, uninterruptible but for the run itself, so that it gets an outcome. */
  const start = Effect.fnUntraced(function* (claim: ConversionClaim, now: number) {
    const suspended = yield* SubscriptionRef.make(false)
    const run: ClaimedRun = {
      claim,
      suspended,
      tenantId: claim.tenantId,
      isLadder: claim.isLadder,
      isSuspended: false,
      since: now
    }
    turns.add(run)
    const finish = Effect.flatMap(Clock.currentTimeMillis, (at) =>
      Effect.sync(() => {
        turns.remove(run, at)
        ended.openUnsafe()
      })
    )
    yield* attempt(run).pipe(
      // A defect ends one conversion, not the worker: otherwise later requests would stay QUEUED.
      Effect.catchDefect((defect) => Effect.logError("defect in a conversion; the worker continues", defect)),
      Effect.ensuring(finish),
      Effect.annotateLogs({ conversionId: claim.conversionId }),
      Effect.uninterruptible,
      FiberSet.run(fibers)
    )
  })

  const setSuspended = (run: ClaimedRun, isSuspended: boolean, now: number) =>
    Effect.andThen(
      Effect.sync(() => (isSuspended ? turns.suspend : turns.resume)(run, now)),
      SubscriptionRef.set(run.suspended, isSuspended)
    ).pipe(
      Effect.andThen(Effect.logDebug(isSuspended ? "conversion suspended" : "conversion resumed")),
      Effect.annotateLogs({ conversionId: run.claim.conversionId })
    )

  /** Takes the next turn. Returns false if nothing changed. Uninterruptible, so that every claim gets a run. */
  const takeTurn = Effect.uninterruptible(
    Effect.gen(function* () {
      const at = yield* DateTime.now
      const now = DateTime.toEpochMillis(at)
      const turn = turns.next(now)
      if (turn === undefined) return false
      const claim = turn.queued === undefined ? Option.none() : yield* claimNext(turn.queued, at)
      if (Option.isNone(claim) && turn.resume === undefined) return false
      if (turn.suspend !== undefined) yield* setSuspended(turn.suspend, true, now)
      if (Option.isSome(claim)) yield* start(claim.value, now)
      else if (turn.resume !== undefined) yield* setSuspended(turn.resume, false, now)
      return true
    })
  )

  /** Ends with the first request since the last step has begun. */
  let requested: Effect.Effect<void> = Effect.void
  const idle = Effect.suspend(() =>
    Effect.raceFirst(requested, ended.await).pipe(
      Effect.timeoutOrElse({ duration: options.pollInterval, orElse: () => Effect.void })
    )
  )
  const step = Effect.gen(function* () {
    ended.closeUnsafe()
    requested = yield* notifier.nextRequest
    return yield* takeTurn
  })
  return yield* repeatStep(step, idle, {
    worker: "conversion worker",
    failure: "conversion not claimed: metadata store failed; will retry"
  })
}, Effect.scoped)

/**
 * Runs conversions while the layer is open. When it closes, running conversions are released, and other workers can claim
 * them at once.
 */
export const layer = (
  options: Partial<ConversionWorkerOptions.ConversionWorkerOptions> = {}
): Layer.Layer<
  never,
  never,
  | BlobRepository
  | BlobStore
  | ConversionRepository
  | ConversionNotifier
  | ConversionWorkspace
  | PosterRepository
  | SecureRandom
  | Transcoder
> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const all = { ...ConversionWorkerOptions.defaults, ...options }
      yield* Effect.forkScoped(asBackgroundWork(work(all)))
      yield* Effect.forkScoped(asBackgroundWork(PosterTasks.work(all)))
    })
  )
