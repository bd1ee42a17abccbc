/**
 * Makes a conversion READY without converting: it shares the files of that to the other format, if these are a shared presentation.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { LimitsOf, within } from "../../usage/UsageLimits.ts"
import type { ConversionClaim, LeaseLost } from "../ConversionClaim.ts"
import { ConversionNotifier } from "../ConversionNotifier.ts"
import { ConversionRepository, type ReadyConversion } from "../ConversionRepository.ts"

/** The conversion that may share files. */
export type Wanted = Pick<ConversionClaim, "blobId" | "bucketId" | "format" | "mode" | "tenantId">

/** Finds the conversion whose files one may share: not if it has to encode all tracks and the other one may have copied some. */
export const find = Effect.fnUntraced(function* (wanted: Wanted) {
  const found = yield* (yield* ConversionRepository).findReady(wanted)
  return Option.filter(
    found,
    ({ mode, presentation }) => presentation.isShared === true && (wanted.mode !== "transcode" || mode === "transcode")
  )
})

/** Makes a claimed conversion READY with the files of another one. */
const publish = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  { conversionId, presentation }: Pick<ReadyConversion, "conversionId" | "presentation">
) {
  const now = yield* DateTime.now
  const publication = {
    segments: [],
    playlists: [],
    progress: 1,
    presentation: { ...presentation, format: claim.format },
    isFinished: true,
    sharesId: conversionId,
    now,
    leaseUntil: now
  }
  const limits = yield* (yield* LimitsOf)(claim)
  yield* within(limits)((yield* ConversionRepository).publish(claim, publication))
  yield* (yield* ConversionNotifier).notifyProgress
})

/**
 * Makes a claimed conversion READY if there are files that it may share. Returns whether it did. The conversion that was found may be
 * removed before its files are shared: that fails like a lost lease, but the claim remains, and the content has to be converted.
 */
export const share = Effect.fnUntraced(function* (claim: ConversionClaim) {
  let lost: { readonly conversionId: string; readonly error: LeaseLost } | undefined
  while (true) {
    const found = yield* find(claim)
    if (Option.isNone(found)) return false
    const { conversionId } = found.value
    if (lost?.conversionId === conversionId) return yield* lost.error
    lost = yield* publish(claim, found.value).pipe(
      Effect.as(undefined),
      Effect.catchTag("LeaseLost", (error) => Effect.succeed({ conversionId, error }))
    )
    if (lost === undefined) return true
  }
})
