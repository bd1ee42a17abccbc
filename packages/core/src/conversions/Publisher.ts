/**
 * Makes what a conversion tells public while it runs: segments become blobs, then they and the playlists that name them
 * appear in one step.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import type { ConversionEvent } from "../transcoding/ConversionEvent.ts"
import type { Presentation } from "../transcoding/Presentation.ts"
import { TranscodeError } from "../transcoding/TranscodeError.ts"
import type { ConversionClaim } from "./ConversionClaim.ts"
import * as SegmentBatch from "./SegmentBatch.ts"
import { ConversionRepository } from "./ConversionRepository.ts"
import { ConversionNotifier } from "./ConversionNotifier.ts"
import type { Workspace } from "./ConversionWorkspace.ts"
import * as PendingOutput from "./PendingOutput.ts"
import { upload } from "./SegmentUpload.ts"
import type { ConversionWorkerOptions } from "./ConversionWorkerOptions.ts"

/** What has become public of a conversion. */
interface Public {
  readonly segments: Set<string>
  /** Whether there is something to play. */
  isPlayable: boolean
}

/**
 * Publishes everything that is pending; a long backlog of segments in several steps, each with as much of the playlists as
 * is there then. Whether this was the end.
 */
const flush = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  workspace: Workspace,
  pending: PendingOutput.PendingOutput,
  presentation: Presentation,
  known: Public,
  options: ConversionWorkerOptions
) {
  const conversions = yield* ConversionRepository
  const signal = yield* ConversionNotifier
  const { isFinished, playlists: texts, progress, segments: names } = PendingOutput.take(pending)
  const isBeginning = !known.isPlayable && texts.size > 0

  const steps = SegmentBatch.steps(names, isBeginning ? options.uploads : undefined)
  for (const [index, some] of steps.entries()) {
    const isLast = index + 1 === steps.length
    const segments = some.length === 0 ? [] : yield* upload(claim, workspace, some, options)
    for (const name of some) known.segments.add(name)
    const playlists = Array.from(texts).flatMap(([name, whole]) => {
      const text = isLast ? whole : SegmentBatch.beginning(whole, (segment) => known.segments.has(segment))
      return text === undefined ? [] : [{ name, text }]
    })
    const at = yield* DateTime.now
    yield* conversions.publish(claim, {
      segments,
      playlists,
      progress: isLast && isFinished ? 1 : progress,
      presentation,
      isFinished: isLast && isFinished,
      at,
      leaseUntil: DateTime.addDuration(at, options.lease)
    })
    known.isPlayable ||= playlists.length > 0
    yield* signal.advance
  }
  return isFinished
})

/** What a transcoder promises not to do. */
const endedShort = (claim: ConversionClaim) =>
  new TranscodeError({ operation: claim.format, reason: "Internal", detail: "It ended without a result." })

/**
 * Publishes a conversion to its end. What it tells is taken at once; what was taken is published every `publishEvery`, and
 * the first playlist without waiting.
 */
export const run = <E, R>(
  claim: ConversionClaim,
  workspace: Workspace,
  events: Stream.Stream<ConversionEvent, E, R>,
  options: ConversionWorkerOptions
) =>
  Effect.gen(function* () {
    const told = yield* Latch.make(false)
    const playable = yield* Latch.make(false)
    const finished = yield* Latch.make(false)
    const pending = PendingOutput.make()
    const known: Public = { segments: new Set(), isPlayable: false }

    const collect = Stream.runForEach(events, (event) =>
      Effect.sync(() => {
        PendingOutput.note(pending, event)
        if (event._tag === "PlaylistUpdated") playable.openUnsafe()
        if (event._tag === "Finished") finished.openUnsafe()
        told.openUnsafe()
      })
    ).pipe(Effect.andThen(Effect.suspend(() => (pending.isFinished ? Effect.void : Effect.fail(endedShort(claim))))))

    const publish = Effect.gen(function* () {
      while (true) {
        yield* told.await
        told.closeUnsafe()
        if (pending.presentation === undefined || !pending.isChanged) continue
        if (yield* flush(claim, workspace, pending, pending.presentation, known, options)) return
        const early = known.isPlayable ? finished.await : Effect.raceFirst(finished.await, playable.await)
        yield* Effect.timeoutOrElse(early, { duration: options.publishEvery, orElse: () => Effect.void })
      }
    })
    yield* Effect.all([collect, publish], { concurrency: 2, discard: true })
  })
