/**
 * Packages contents when their conversion is requested, one at a time, in the background. What cannot be packaged stays QUEUED for a
 * worker.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import { asBackgroundWork } from "../../BackgroundWork.ts"
import { onBehalfOf } from "../../CurrentTenant.ts"
import { Settings } from "../../Settings.ts"
import type { BlobRepository } from "../../storage/BlobRepository.ts"
import type { BlobStore } from "../../storage/BlobStore.ts"
import type { Format } from "../../transcoding/Presentation.ts"
import { ConversionNotifier } from "../ConversionNotifier.ts"
import { ConversionRepository } from "../ConversionRepository.ts"
import * as PackageContent from "./PackageContent.ts"

/** How long reading a content may take until a worker has to convert it. The lease of the claim is longer. */
const maxTime = Duration.seconds(20)
const lease = Duration.seconds(30)

/** A QUEUED conversion. */
export interface Requested {
  readonly conversionId: string
  readonly format: Format
  readonly content: PackageContent.PackageableContent
}

type Services = BlobRepository | BlobStore | ConversionNotifier | ConversionRepository | SecureRandom

/** Returns what starts the packaging of a requested conversion. Its end wakes the fibers that wait for the conversion. */
export const make = Effect.gen(function* () {
  const conversions = yield* ConversionRepository
  const notifier = yield* ConversionNotifier
  const { blobGrace } = yield* Settings
  const slot = Semaphore.makeUnsafe(1)
  const fork = yield* FiberSet.makeRuntime<Services, void>()

  const claim = Effect.fnUntraced(function* (conversionId: string) {
    const now = yield* DateTime.now
    const terms = { now, leaseUntil: DateTime.addDuration(now, lease), sweepAt: DateTime.addDuration(now, blobGrace) }
    return yield* conversions.claim({ ...terms, conversionId })
  })

  const run = Effect.fnUntraced(function* ({ content, conversionId, format }: Requested) {
    // Before the content is read: otherwise a worker that polls meanwhile packages it, too.
    const claimed = yield* claim(conversionId)
    // A worker was faster, or the conversion was cancelled.
    if (Option.isNone(claimed)) return
    const release = Effect.flatMap(DateTime.now, (now) => {
      const sweepAt = DateTime.addDuration(now, blobGrace)
      return conversions.release(claimed.value, { retryAt: now, countAttempt: false, sweepAt })
    })
    yield* Effect.gen(function* () {
      const prepared = yield* PackageContent.prepare(content, format)
      if (Option.isNone(prepared)) return yield* release
      yield* PackageContent.publish(claimed.value, prepared.value)
    }).pipe(Effect.onError(() => Effect.ignore(release)))
  })

  return (requested: Requested): Effect.Effect<void> =>
    Effect.sync(() => {
      const packaging = run(requested).pipe(
        Effect.timeout(maxTime),
        Effect.catchCause((cause) => Effect.logDebug("content not packaged; a worker will convert it", cause)),
        slot.withPermit,
        Effect.ensuring(notifier.notifyRequest),
        onBehalfOf(requested.content.tenantId),
        Effect.annotateLogs({ conversionId: requested.conversionId }),
        asBackgroundWork
      )
      fork(packaging)
    })
})
