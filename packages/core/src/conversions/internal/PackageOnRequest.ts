/**
 * Packages contents when their conversion is requested, one at a time, or shares the files of the other format. What cannot be packaged
 * stays QUEUED for a worker.
 */
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import { onBehalfOf } from "../../CurrentTenant.ts"
import type { Package } from "../../packaging/Package.ts"
import { Settings } from "../../Settings.ts"
import type { BlobRepository } from "../../storage/BlobRepository.ts"
import type { BlobStore } from "../../storage/BlobStore.ts"
import type { Format } from "../../transcoding/Presentation.ts"
import type { ConversionClaim } from "../ConversionClaim.ts"
import { ConversionNotifier } from "../ConversionNotifier.ts"
import { ConversionRepository } from "../ConversionRepository.ts"
import * as PackageContent from "./PackageContent.ts"
import * as ShareConversion from "./ShareConversion.ts"

/** How long reading a content may take until a worker has to convert it. The lease of the claim is longer. */
const maxTime = Duration.seconds(20)
const lease = Duration.seconds(30)

/** A QUEUED conversion. */
export interface Requested {
  readonly conversionId: string
  readonly format: Format
  readonly content: PackageContent.PackageableContent
  /** What `prepare` has returned, in a deployment without a transcoder. Default: the content is prepared. */
  readonly prepared?: Package | undefined
}

export interface PackageOnRequest {
  /** Makes the presentation of a content before its conversion is requested; none if the content has to be converted. */
  readonly prepare: (
    content: PackageContent.PackageableContent,
    format: Format
  ) => Effect.Effect<Option.Option<Package>>
  /** Starts packaging in the background. Its end wakes the fibers that wait for the conversion. */
  readonly start: (requested: Requested) => Effect.Effect<void>
}

/** The conversion has no claim for this process. */
class NotClaimed extends Data.TaggedError("NotClaimed") {}

type Services = BlobRepository | BlobStore | ConversionNotifier | ConversionRepository | SecureRandom

/** Makes the steps from the services of the context. */
export const make = Effect.gen(function* () {
  const conversions = yield* ConversionRepository
  const notifier = yield* ConversionNotifier
  const { blobGrace } = yield* Settings
  const slot = Semaphore.makeUnsafe(1)
  const services = yield* Effect.context<Services>()
  const fork = yield* FiberSet.makeRuntime<Services, void>()

  const claim = Effect.fnUntraced(function* (conversionId: string) {
    const now = yield* DateTime.now
    const terms = { now, leaseUntil: DateTime.addDuration(now, lease), sweepAt: DateTime.addDuration(now, blobGrace) }
    return yield* conversions.claim({ ...terms, conversionId })
  })

  /**
   * What fails, as when it takes too long, is left to a worker. It is no background work: a request waits for it, and its transactions
   * take some milliseconds with the longest playlists.
   */
  const limited = <A, E>(tenantId: string, packaging: Effect.Effect<A, E, Services>, otherwise: A) =>
    packaging.pipe(
      Effect.timeout(maxTime),
      Effect.catchCause((cause) => Effect.as(Effect.logDebug("content not packaged", cause), otherwise)),
      slot.withPermit,
      onBehalfOf(tenantId)
    )

  const run = Effect.fnUntraced(function* ({ content, conversionId, format, prepared: given }: Requested) {
    let claimed = Option.none<ConversionClaim>()
    // Before the samples are read: otherwise a worker that polls meanwhile packages the content, too.
    const begin = Effect.flatMap(claim(conversionId), (found) => {
      claimed = found
      // A worker was faster, or the conversion was cancelled.
      return Option.isSome(found) ? Effect.void : Effect.fail(new NotClaimed())
    })
    const release = Effect.flatMap(DateTime.now, (now) => {
      const sweepAt = DateTime.addDuration(now, blobGrace)
      const terms = { retryAt: now, countAttempt: false, sweepAt }
      return Option.isSome(claimed) ? conversions.release(claimed.value, terms) : Effect.void
    })
    yield* Effect.gen(function* () {
      const shared = yield* ShareConversion.find({ ...content, format, mode: "auto" })
      if (given !== undefined || Option.isSome(shared)) yield* begin
      if (Option.isSome(shared) && Option.isSome(claimed) && (yield* ShareConversion.share(claimed.value))) return
      const beginOnce = Effect.suspend(() => (Option.isSome(claimed) ? Effect.void : begin))
      const prepared =
        given === undefined ? yield* PackageContent.prepare(content, format, beginOnce) : Option.some(given)
      if (Option.isNone(prepared) || Option.isNone(claimed)) return yield* release
      yield* PackageContent.publish(claimed.value, prepared.value, { hasTranscoder: given === undefined })
    }).pipe(
      Effect.onError(() => Effect.ignore(release)),
      Effect.catchTag("NotClaimed", () => Effect.void)
    )
  })

  const steps: PackageOnRequest = {
    prepare: (content, format) =>
      limited(content.tenantId, PackageContent.prepare(content, format), Option.none()).pipe(
        Effect.provideContext(services)
      ),
    start: (requested) =>
      Effect.sync(() => {
        const packaging = limited(requested.content.tenantId, run(requested), undefined).pipe(
          Effect.ensuring(notifier.notifyRequest),
          Effect.annotateLogs({ conversionId: requested.conversionId })
        )
        fork(packaging)
      })
  }
  return steps
})
