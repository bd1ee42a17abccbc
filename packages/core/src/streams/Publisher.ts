/**
 * Makes what a conversion tells public while it runs: segments become blobs, then they and the playlists that name them
 * appear in one step.
 */
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import type { ConversionEvent } from "../transcoding/ConversionEvent.ts"
import type { Presentation } from "../transcoding/Presentation.ts"
import { TranscodeError } from "../transcoding/TranscodeError.ts"
import type { Claim } from "./Claim.ts"
import { ConversionRepository } from "./ConversionRepository.ts"
import { ConversionSignal } from "./ConversionSignal.ts"
import type { Workspace } from "./ConversionWorkspace.ts"
import { upload } from "./SegmentUpload.ts"
import type { WorkerOptions } from "./WorkerOptions.ts"

/** Segments that become public in one step. */
const batch = 32

/** What was told and is not public yet. */
interface Pending {
  segments: Array<string>
  playlists: Map<string, string>
  progress: number
  presentation: Presentation | undefined
  isFinished: boolean
  isChanged: boolean
}

/** Takes a conversion's events as fast as they come, since playlists that are outdated need not be published. */
const note = (pending: Pending, event: ConversionEvent): void => {
  pending.isChanged = true
  switch (event._tag) {
    case "Started":
      pending.presentation = event.presentation
      return
    case "SegmentFinished":
      pending.segments.push(event.name)
      return
    case "PlaylistUpdated":
      pending.playlists.set(event.name, event.text)
      return
    case "Progressed":
      pending.progress = event.fraction
      return
    case "Finished":
      pending.presentation = event.presentation
      pending.isFinished = true
  }
}

/**
 * Publishes everything that is pending; a long backlog of segments in several steps, the playlists with the last.
 * Whether this was the end.
 */
const flush = Effect.fnUntraced(function* (
  claim: Claim,
  workspace: Workspace,
  pending: Pending,
  presentation: Presentation,
  options: WorkerOptions
) {
  const conversions = yield* ConversionRepository
  const signal = yield* ConversionSignal
  const names = pending.segments
  const playlists = Array.from(pending.playlists, ([name, text]) => ({ name, text }))
  const { isFinished, progress } = pending
  pending.segments = []
  pending.playlists = new Map()
  pending.isChanged = false

  const batches = names.length === 0 ? [[]] : Arr.chunksOf(names, batch)
  for (const [index, some] of batches.entries()) {
    const isLast = index + 1 === batches.length
    const segments = some.length === 0 ? [] : yield* upload(claim, workspace, some, options)
    const at = yield* DateTime.now
    yield* conversions.publish(claim, {
      segments,
      playlists: isLast ? playlists : [],
      progress: isLast && isFinished ? 1 : progress,
      presentation,
      isFinished: isLast && isFinished,
      at,
      leaseUntil: DateTime.addDuration(at, options.lease)
    })
    yield* signal.advance
  }
  return isFinished
})

/** What a transcoder promises not to do. */
const endedShort = (claim: Claim) =>
  new TranscodeError({ operation: claim.format, reason: "Internal", detail: "It ended without a result." })

/**
 * Publishes a conversion to its end. What it tells is taken at once; what was taken is published every `publishEvery`, and
 * the first playlist without waiting.
 */
export const run = <E, R>(
  claim: Claim,
  workspace: Workspace,
  events: Stream.Stream<ConversionEvent, E, R>,
  options: WorkerOptions
) =>
  Effect.gen(function* () {
    const told = yield* Latch.make(false)
    const playable = yield* Latch.make(false)
    const finished = yield* Latch.make(false)
    const pending: Pending = {
      segments: [],
      playlists: new Map(),
      progress: 0,
      presentation: undefined,
      isFinished: false,
      isChanged: false
    }

    const collect = Stream.runForEach(events, (event) =>
      Effect.sync(() => {
        note(pending, event)
        if (event._tag === "PlaylistUpdated") playable.openUnsafe()
        if (event._tag === "Finished") finished.openUnsafe()
        told.openUnsafe()
      })
    ).pipe(Effect.andThen(Effect.suspend(() => (pending.isFinished ? Effect.void : Effect.fail(endedShort(claim))))))

    const publish = Effect.gen(function* () {
      let isPlayable = false
      while (true) {
        yield* told.await
        told.closeUnsafe()
        if (pending.presentation === undefined || !pending.isChanged) continue
        isPlayable ||= pending.playlists.size > 0
        if (yield* flush(claim, workspace, pending, pending.presentation, options)) return
        const early = isPlayable ? finished.await : Effect.raceFirst(finished.await, playable.await)
        yield* Effect.timeoutOrElse(early, { duration: options.publishEvery, orElse: () => Effect.void })
      }
    })
    yield* Effect.all([collect, publish], { concurrency: 2, discard: true })
  })
