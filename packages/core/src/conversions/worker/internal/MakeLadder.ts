/**
 * Makes the ladder of a copy: lower renditions, which join it when all of them are complete.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ContentDamaged } from "../../../files/FileErrors.ts"
import * as ContentSource from "../../../packaging/ContentSource.ts"
import * as StoredRung from "../../../packaging/internal/StoredRung.ts"
import { malformed, type PackagingError } from "../../../packaging/PackagingError.ts"
import * as SegmentIndex from "../../../packaging/SegmentIndex.ts"
import { shownAt } from "../../../packaging/SegmentPlan.ts"
import * as SharedTracks from "../../../packaging/SharedTracks.ts"
import * as StoredSegment from "../../../packaging/StoredSegment.ts"
import * as TransportStream from "../../../packaging/TransportStream.ts"
import * as RecentlyUsed from "../../../packaging/internal/RecentlyUsed.ts"
import type { BlobError } from "../../../storage/BlobError.ts"
import type { ConversionEvent } from "../../../transcoding/ConversionEvent.ts"
import * as Events from "../../../transcoding/ConversionEvent.ts"
import type { Rung } from "../../../transcoding/Ladder.ts"
import * as LadderPlaylists from "../../../transcoding/LadderPlaylists.ts"
import type { Format, Presentation, Rendition } from "../../../transcoding/Presentation.ts"
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"
import { TranscodeError } from "../../../transcoding/TranscodeError.ts"
import { type LadderJob, Transcoder } from "../../../transcoding/Transcoder.ts"
import type { ConversionClaim } from "../../ConversionClaim.ts"
import * as PackageContent from "../../internal/PackageContent.ts"
import * as StoredParts from "../../internal/StoredParts.ts"
import type { Workspace, WorkspaceError } from "../ConversionWorkspace.ts"
import * as StoredFile from "./StoredFile.ts"

/** Returns a presentation without its ladder. */
export const withoutLadder = (presentation: Presentation): Presentation => {
  const { hasLadder, renditions, ...rest } = presentation
  return { ...rest, renditions: hasLadder === true ? [Arr.headNonEmpty(renditions)] : renditions }
}

/** Whether a segment belongs to a ladder. */
export const isOfLadder = ({ hasLadder }: Presentation, name: string): boolean =>
  hasLadder === true && /^\d+p\//.test(name)

/** What joins a copy: its renditions, and the playlists that change and those that are new. */
interface Joined {
  readonly lower: ReadonlyArray<Rendition>
  readonly playlists: ReadonlyMap<string, string>
}

/** Returns the events of a ladder as those of the copy: with its presentation and, at the end, with all playlists. */
const join = <E, R, E2, R2>(
  events: Stream.Stream<ConversionEvent, E, R>,
  { presentation }: LadderPlaylists.Copy,
  toJoined: (encoded: ReadonlyArray<Rendition>) => Effect.Effect<Joined, E2, R2>
): Stream.Stream<ConversionEvent, E | E2, R | R2> =>
  Stream.flatMap(events, (event) => {
    if (event._tag === "Started") return Stream.succeed(Events.Started({ presentation }))
    if (event._tag !== "Finished") return Stream.succeed(event)
    const finished = Effect.map(
      toJoined(event.presentation.renditions),
      ({ lower, playlists }): ReadonlyArray<ConversionEvent> => [
        ...Array.from(playlists, ([name, text]) => Events.PlaylistUpdated({ name, text })),
        Events.Finished({
          presentation: { ...presentation, hasLadder: true, renditions: Arr.appendAll(presentation.renditions, lower) }
        })
      ]
    )
    return Stream.fromIterableEffect(finished)
  })

const failed = ({ detail }: PackagingError) => new TranscodeError({ operation: "ladder", reason: "Failed", detail })

const inFormat = (copy: LadderPlaylists.Copy, format: Format): LadderPlaylists.Copy => ({
  ...copy,
  presentation: { ...copy.presentation, format }
})

/** The best rendition of a shared presentation. */
type Best = Pick<StoredRung.Encoded<BlobError | ContentDamaged>, "audio" | "begin" | "delay">

/** The directory of an index, and the samples of a segment or of two. */
const keptPages = 4

/** That of a packaged presentation is described by its index. */
const packagedBest = Effect.fnUntraced(function* (claim: ConversionClaim) {
  const pages = RecentlyUsed.make<Uint8Array>(keptPages)
  const { blobId, size, stored } = yield* StoredFile.find(claim, StreamFiles.index)
  const source = ContentSource.makePaged(stored, size, { key: blobId, pages })
  const index = yield* SegmentIndex.open(source.readRange)
  const content = yield* PackageContent.sourceOf(yield* PackageContent.findContent(claim))
  const segment = (sequence: number) => SegmentIndex.segment(index, sequence, source.readRange)
  const { video } = yield* segment(0)
  if (video === null) return yield* malformed("A packaged presentation with a ladder has no video.")
  const best: Best = {
    begin: shownAt(video.track, 0),
    delay: 0,
    audio: (sequence) => Effect.map(segment(sequence), (found) => StoredRung.packagedAudio(index, found, content))
  }
  return best
})

/** That of a copy is stored. */
const storedBest = Effect.fnUntraced(function* (claim: ConversionClaim) {
  const tracks = yield* SharedTracks.decode(yield* StoredFile.read(claim, StreamFiles.tracks))
  const find = yield* StoredFile.makeFind(claim)
  const sourceOf = (name: string) => Effect.map(find(name), (found) => StoredParts.sourceIn(found)(name))
  const [init] = tracks.tracks
  if (init === undefined) return yield* malformed("A copy with a ladder has no video.")
  const best: Best = {
    begin: yield* StoredSegment.beginOf({ init, segment: yield* sourceOf(StreamFiles.chunk(0, 1)) }),
    delay: tracks.delay,
    audio: (sequence) => {
      const audio = SharedTracks.defaultAudio(tracks, sequence)
      if (audio === undefined) return Effect.succeed(undefined)
      return Effect.map(sourceOf(audio.name), (segment) => ({ init: audio.init, segment }))
    }
  }
  return best
})

/** Returns what joins a shared presentation: the renditions have the facts of HLS, and the manifest those of DASH. */
const joinShared = Effect.fnUntraced(function* (
  copy: LadderPlaylists.Copy,
  best: Best,
  workspace: Workspace,
  encoded: ReadonlyArray<Rendition>
) {
  const hls = inFormat(copy, "hls")
  const parts: StoredRung.Encoded<BlobError | ContentDamaged | WorkspaceError> = {
    ...best,
    durations: LadderPlaylists.durations(hls),
    open: workspace.open
  }
  const lower = yield* Effect.forEach(encoded, (rendition) => StoredRung.measure(parts, rendition)).pipe(
    Effect.catchTag("PackagingError", (error) => Effect.fail(failed(error)))
  )
  const manifest = LadderPlaylists.join(inFormat(copy, "dash"), encoded)
  const joined: Joined = { lower, playlists: new Map([...LadderPlaylists.join(hls, lower), ...manifest]) }
  return joined
})

/** What a ladder is made of, and where. */
interface Job extends Pick<LadderJob, "input" | "limits" | "media" | "output" | "suspended"> {
  readonly rungs: Arr.NonEmptyReadonlyArray<Rung>
  readonly workspace: Workspace
}

/** Returns the events of the ladder of a claim, given the copy. */
export const make = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  copy: LadderPlaylists.Copy,
  { workspace, ...job }: Job
) {
  const transcoder = yield* Transcoder
  const { presentation } = copy
  if (presentation.isShared === true) {
    const durations = LadderPlaylists.durations(inFormat(copy, "hls"))
    const isPackaged = presentation.isPackaged === true
    const best = yield* (isPackaged ? packagedBest(claim) : storedBest(claim)).pipe(
      Effect.catchTag("PackagingError", (error) => Effect.fail(failed(error)))
    )
    // The first segment of a packaged presentation begins with it, that of a copy with its video.
    const begin = isPackaged ? 0 : best.begin
    const events = transcoder.ladder({ ...job, format: "dash", durations, begin })
    return join(events, copy, (encoded) => joinShared(copy, best, workspace, encoded))
  }
  // A player that switches between the renditions takes their times as those of one presentation.
  const firstTime = presentation.isPackaged === true ? TransportStream.firstTime : undefined
  const durations = LadderPlaylists.durations(copy)
  const events = transcoder.ladder({ ...job, format: claim.format, durations, firstTime })
  return join(events, copy, (lower) => Effect.succeed({ lower, playlists: LadderPlaylists.join(copy, lower) }))
})
