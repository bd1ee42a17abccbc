/**
 * The conversion worker: claims conversions that were requested on any node, and runs each until it is READY or FAILED. If
 * its process dies, another worker claims the conversion after the lease has expired; if the worker is shut down, at once.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import { Settings } from "../../Settings.ts"
import type { BlobRepository } from "../../storage/BlobRepository.ts"
import type { BlobStore } from "../../storage/BlobStore.ts"
import type { Transcoder } from "../../transcoding/Transcoder.ts"
import type { ConversionClaim } from "../ConversionClaim.ts"
import { ConversionNotifier } from "../ConversionNotifier.ts"
import { ConversionRepository } from "../ConversionRepository.ts"
import type { ConversionFault } from "../StoredConversion.ts"
import * as ConversionOutcome from "./internal/ConversionOutcome.ts"
import * as ConversionWorkerOptions from "./ConversionWorkerOptions.ts"
import type { ConversionWorkspace } from "./ConversionWorkspace.ts"
import { runConversion } from "./internal/RunConversion.ts"

const interrupted: ConversionFault = { code: "internal", detail: "The conversion was interrupted several times." }

/** Runs until interrupted. */
const work = Effect.fnUntraced(function* (options: ConversionWorkerOptions.ConversionWorkerOptions) {
  const repository = yield* ConversionRepository
  const notifier = yield* ConversionNotifier
  const { blobGrace } = yield* Settings

  const record = Effect.fnUntraced(function* (claim: ConversionClaim, outcome: ConversionOutcome.ConversionOutcome) {
    const now = yield* DateTime.now
    const sweepAt = DateTime.addDuration(now, blobGrace)
    switch (outcome._tag) {
      case "LeaseLost":
        return
      case "Failed":
        return yield* repository.fail(claim, { fault: outcome.fault, now, sweepAt })
      case "Retry": {
        if (claim.attempts >= options.maxAttempts) {
          return yield* repository.fail(claim, { fault: outcome.fault, now, sweepAt })
        }
        const backoff = Duration.times(options.retryDelay, 2 ** (claim.attempts - 1))
        const retryAt = DateTime.addDuration(now, backoff)
        return yield* repository.release(claim, { retryAt, countAttempt: true, sweepAt })
      }
      case "Released":
        return yield* repository.release(claim, { retryAt: now, countAttempt: false, sweepAt })
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

  const attempt = Effect.fnUntraced(function* (claim: ConversionClaim) {
    // The workers of the earlier attempts died, maybe because of this conversion.
    if (claim.attempts > options.maxAttempts) return yield* complete(claim, { _tag: "Failed", fault: interrupted })
    const exit = yield* Effect.exit(Effect.interruptible(runConversion(claim, options)))
    if (Exit.isSuccess(exit)) return
    const outcome = ConversionOutcome.fromCause(exit.cause)
    if (outcome._tag === "Retry") {
      yield* Effect.annotateLogs(Effect.logWarning("conversion attempt failed", exit.cause), {
        attempts: claim.attempts,
        maxAttempts: options.maxAttempts
      })
    }
    yield* complete(claim, outcome)
  })

  /**
   * Claims and runs one conversion; false if none is due. Uninterruptible but for the run itself, so that every claim gets
   * an outcome.
   */
  const runNext = Effect.uninterruptible(
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const claim = yield* repository.claim({
        now,
        leaseUntil: DateTime.addDuration(now, options.lease),
        sweepAt: DateTime.addDuration(now, blobGrace)
      })
      if (Option.isNone(claim)) return false
      const { conversionId } = claim.value
      yield* Effect.annotateLogs(attempt(claim.value), { conversionId })
      return true
    })
  )

  const idle = Effect.timeoutOrElse(notifier.awaitRequest, {
    duration: options.pollInterval,
    orElse: () => Effect.void
  })
  return yield* runNext.pipe(
    Effect.catch(({ reason }) =>
      Effect.as(
        Effect.annotateLogs(Effect.logWarning("conversion not claimed: metadata store failed; will retry"), { reason }),
        false
      )
    ),
    // A defect ends one iteration, not the worker: otherwise later requests would stay QUEUED.
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("defect in the conversion worker; it continues", defect), false)
    ),
    Effect.flatMap((hasRun) => (hasRun ? Effect.void : idle)),
    Effect.forever
  )
})

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
  | SecureRandom
  | Transcoder
> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const all = { ...ConversionWorkerOptions.defaults, ...options }
      yield* Effect.forEach(Array.from({ length: all.concurrency }), () => Effect.forkScoped(work(all)), {
        discard: true
      })
    })
  )
