/**
 * The worker: takes conversions that were asked for on any node, and brings each to an end. When its process dies,
 * another worker takes over once the lease has ended; when it is shut down, at once.
 */
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import { Settings } from "../Settings.ts"
import type { BlobRepository } from "../storage/BlobRepository.ts"
import type { BlobStore } from "../storage/BlobStore.ts"
import { TranscodeError } from "../transcoding/TranscodeError.ts"
import type { Transcoder } from "../transcoding/Transcoder.ts"
import { type ConversionClaim, ClaimLost } from "./ConversionClaim.ts"
import { ConversionRepository } from "./ConversionRepository.ts"
import { run } from "./ConversionRun.ts"
import { ConversionNotifier } from "./ConversionNotifier.ts"
import type { ConversionWorkspace } from "./ConversionWorkspace.ts"
import type { ConversionFault } from "./StreamRecord.ts"
import * as ConversionWorkerOptions from "./ConversionWorkerOptions.ts"

/** How a run that did not succeed ends. */
type End =
  | { readonly _tag: "Lost" }
  | { readonly _tag: "Failed"; readonly fault: ConversionFault }
  /** Nothing is known of the content: what is around the conversion failed. */
  | { readonly _tag: "Again"; readonly fault: ConversionFault }
  /** The worker is shut down. */
  | { readonly _tag: "Returned" }

const interrupted: ConversionFault = { code: "internal", detail: "The conversion was interrupted several times." }
const broken: ConversionFault = {
  code: "internal",
  detail: "The conversion failed for a reason that is not the file's."
}

const verdicts: ReadonlySet<TranscodeError["reason"]> = new Set(["NotMedia", "Unsupported", "LimitExceeded", "Failed"])

const endOf = (cause: Cause.Cause<unknown>): End => {
  const failures = cause.reasons.flatMap((reason) => (Cause.isFailReason(reason) ? [reason.error] : []))
  if (failures.some((error) => error instanceof ClaimLost)) return { _tag: "Lost" }
  const refused = failures.find((error) => error instanceof TranscodeError)
  if (refused !== undefined) {
    return { _tag: verdicts.has(refused.reason) ? "Failed" : "Again", fault: faultOf(refused) }
  }
  // A failure interrupts what runs beside it; without one, the worker itself is shut down.
  return Cause.hasInterruptsOnly(cause) ? { _tag: "Returned" } : { _tag: "Again", fault: broken }
}

const faultOf = ({ code, message }: TranscodeError): ConversionFault => ({ code, detail: message })

/** Works for ever. */
const work = Effect.fnUntraced(function* (options: ConversionWorkerOptions.ConversionWorkerOptions) {
  const repository = yield* ConversionRepository
  const signal = yield* ConversionNotifier
  const { blobGrace } = yield* Settings

  const settle = Effect.fnUntraced(function* (claim: ConversionClaim, end: End) {
    const now = yield* DateTime.now
    const doom = { sweepAt: DateTime.addDuration(now, blobGrace) }
    switch (end._tag) {
      case "Lost":
        return
      case "Failed":
        return yield* repository.fail(claim, end.fault, now, doom)
      case "Again": {
        if (claim.tries >= options.tries) return yield* repository.fail(claim, end.fault, now, doom)
        const wait = Duration.times(options.retryAfter, 2 ** (claim.tries - 1))
        return yield* repository.release(claim, DateTime.addDuration(now, wait), true, doom)
      }
      case "Returned":
        return yield* repository.release(claim, now, false, doom)
    }
  })

  /** What cannot be settled ends with its lease, and another worker takes it. */
  const conclude = (claim: ConversionClaim, end: End) =>
    settle(claim, end).pipe(
      Effect.andThen(signal.advance),
      Effect.catchTags({
        ClaimLost: () => Effect.logDebug("A conversion was taken from this worker"),
        MetadataError: (error) => Effect.logWarning("A conversion's end could not be told", error.reason)
      }),
      Effect.annotateLogs("conversion", claim.conversionId)
    )

  const attempt = Effect.fnUntraced(function* (claim: ConversionClaim) {
    // The workers that had it before died, and may have died of it.
    if (claim.tries > options.tries) return yield* conclude(claim, { _tag: "Failed", fault: interrupted })
    const exit = yield* Effect.exit(Effect.interruptible(run(claim, options)))
    if (Exit.isSuccess(exit)) return
    const end = endOf(exit.cause)
    if (end._tag === "Again") {
      yield* Effect.logWarning("A conversion could not be finished", exit.cause).pipe(
        Effect.annotateLogs("conversion", claim.conversionId)
      )
    }
    yield* conclude(claim, end)
  })

  /** Whether there was something to do. Not to be interrupted between a claim and its end. */
  const once = Effect.uninterruptible(
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const claim = yield* repository.claim(now, DateTime.addDuration(now, options.lease), {
        sweepAt: DateTime.addDuration(now, blobGrace)
      })
      if (Option.isNone(claim)) return false
      yield* attempt(claim.value)
      return true
    })
  )

  const idle = Effect.timeoutOrElse(signal.await, { duration: options.poll, orElse: () => Effect.void })
  return yield* once.pipe(
    Effect.catch((error) =>
      Effect.as(Effect.logWarning("The worker of conversions could not reach the metadata", error.reason), false)
    ),
    // A bug stops one look, and not the worker: nobody would ever begin what is asked for afterwards.
    Effect.catchDefect((defect) => Effect.as(Effect.logError("The worker of conversions failed", defect), false)),
    Effect.flatMap((worked) => (worked ? Effect.void : idle)),
    Effect.forever
  )
})

/**
 * Runs conversions for as long as the layer lives; when it closes, what runs is given back for another worker to take at
 * once.
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
