/**
 * Publishes the output of a running conversion: uploads segments as blobs, then makes them and the playlists that list them
 * public in one step.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import type { ConversionEvent } from "../../../transcoding/ConversionEvent.ts"
import type { Presentation } from "../../../transcoding/Presentation.ts"
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"
import { TranscodeError } from "../../../transcoding/TranscodeError.ts"
import type { ConversionClaim } from "../../ConversionClaim.ts"
import { LimitsOf, within } from "../../../usage/UsageLimits.ts"
import { ConversionNotifier } from "../../ConversionNotifier.ts"
import { ConversionRepository } from "../../ConversionRepository.ts"
import * as LadderBelow from "../../internal/LadderBelow.ts"
import type { Publication } from "../../Publication.ts"
import type { ConversionWorkerOptions } from "../ConversionWorkerOptions.ts"
import type { Workspace } from "../ConversionWorkspace.ts"
import * as AddStoryboard from "./AddStoryboard.ts"
import * as PendingOutput from "./PendingOutput.ts"
import * as SegmentBatch from "./SegmentBatch.ts"
import { uploadSegments } from "./UploadSegments.ts"

/** What is public of a conversion. */
interface PublicOutput {
  readonly segments: Set<string>
  /** Whether a playlist is public. */
  isPlayable: boolean
}

/** Returns whether a segment that a playlist lists is public: of a shared presentation, whether those are from which it is made. */
const isPublicIn = (presentation: Presentation, { segments }: PublicOutput): ((name: string) => boolean) => {
  if (presentation.isShared !== true) return (name) => segments.has(name)
  const renditions = new Map(StreamFiles.sharedRenditions(presentation).map((one) => [one.prefix, one]))
  return (name) => {
    const parsed = StreamFiles.parseTransport(name)
    const rendition = parsed && renditions.get(parsed.prefix)
    return (
      parsed !== undefined &&
      rendition !== undefined &&
      segments.has(StreamFiles.tracks) &&
      StreamFiles.sharedParts(rendition, parsed.index).every((part) => segments.has(part))
    )
  }
}

/**
 * Publishes all pending output. Many segments are published in several batches, each with the part of the playlists that
 * lists public segments only. Returns whether the conversion is finished.
 */
const flush = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  workspace: Workspace,
  pending: PendingOutput.PendingOutput,
  presentation: Presentation,
  published: PublicOutput,
  options: ConversionWorkerOptions
) {
  const conversions = yield* ConversionRepository
  const notifier = yield* ConversionNotifier
  const limitsOf = yield* LimitsOf
  const { isFinished, playlists: texts, progress, segments: names } = PendingOutput.drain(pending)
  const becomesPlayable = !published.isPlayable && texts.size > 0

  const isPublic = isPublicIn(presentation, published)
  const batches = SegmentBatch.split(names, becomesPlayable ? options.uploadConcurrency : undefined)
  for (const [index, batch] of batches.entries()) {
    const isLast = index + 1 === batches.length
    const segments = batch.length === 0 ? [] : yield* uploadSegments(claim, workspace, batch, options)
    for (const name of batch) published.segments.add(name)
    const playlists = Array.from(texts).flatMap(([name, whole]) => {
      // The playlists of a ladder replace those of the copy, when all of its segments are public.
      if (claim.isLadder && !isLast) return []
      const text = isLast ? whole : SegmentBatch.publicPrefix(whole, isPublic)
      return text === undefined ? [] : [{ name, text }]
    })
    const now = yield* DateTime.now
    const becomesReady = isLast && isFinished && !claim.isLadder
    const hasLadder = becomesReady && (yield* LadderBelow.isWanted(presentation, claim.mode))
    const publication: Publication = {
      segments,
      playlists,
      progress: isLast && isFinished ? 1 : progress,
      presentation,
      isFinished: isLast && isFinished,
      // This worker makes the storyboard after that.
      picturesDueAt: becomesReady && presentation.hasVideo ? DateTime.addDuration(now, AddStoryboard.lease) : undefined,
      ladderDueAt: hasLadder ? DateTime.addDuration(now, options.ladderDelay) : undefined,
      now,
      leaseUntil: DateTime.addDuration(now, options.lease)
    }
    yield* within(yield* limitsOf(claim))(conversions.publish(claim, publication))
    published.isPlayable ||= playlists.length > 0
    yield* notifier.notifyProgress
  }
  return isFinished
})

/** A transcoder must not end its events without `Finished` or an error. */
const unfinished = (claim: ConversionClaim) =>
  new TranscodeError({ operation: claim.format, reason: "Internal", detail: "The transcoder ended without a result." })

/**
 * Publishes a conversion until it is READY, and returns what it presents. Events are collected as soon as they arrive. Pending output is
 * published every `publishInterval`; the first playlist and the end of the conversion are published without delay.
 */
export const publish = Effect.fnUntraced(function* <E, R>(
  claim: ConversionClaim,
  workspace: Workspace,
  events: Stream.Stream<ConversionEvent, E, R>,
  options: ConversionWorkerOptions
) {
  const changed = yield* Latch.make(false)
  const playable = yield* Latch.make(false)
  const finished = yield* Latch.make(false)
  const pending = PendingOutput.make()
  const published: PublicOutput = { segments: new Set(), isPlayable: false }

  const collectEvents = Stream.runForEach(events, (event) =>
    Effect.sync(() => {
      PendingOutput.add(pending, event)
      if (event._tag === "PlaylistUpdated") playable.openUnsafe()
      if (event._tag === "Finished") finished.openUnsafe()
      changed.openUnsafe()
    })
  ).pipe(Effect.andThen(Effect.suspend(() => (pending.isFinished ? Effect.void : Effect.fail(unfinished(claim))))))

  const publishPending = Effect.gen(function* () {
    while (true) {
      yield* changed.await
      changed.closeUnsafe()
      if (pending.presentation === undefined || !pending.isChanged) continue
      const { presentation } = pending
      if (yield* flush(claim, workspace, pending, presentation, published, options)) return presentation
      const dueEarly = published.isPlayable ? finished.await : Effect.raceFirst(finished.await, playable.await)
      yield* Effect.timeoutOrElse(dueEarly, { duration: options.publishInterval, orElse: () => Effect.void })
    }
  })
  const [, presentation] = yield* Effect.all([collectEvents, publishPending], { concurrency: 2 })
  return presentation
})
