/**
 * Makes the ladder of a copy: lower renditions, which join it when all of them are complete.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ContentDamaged } from "../../../files/FileErrors.ts"
import * as JoinedSource from "../../../packaging/JoinedSource.ts"
import * as PackagedRung from "../../../packaging/internal/PackagedRung.ts"
import type { PackagingError } from "../../../packaging/PackagingError.ts"
import * as SegmentIndex from "../../../packaging/SegmentIndex.ts"
import * as TransportStream from "../../../packaging/TransportStream.ts"
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

/** Returns what joins a packaged presentation that is shared: the renditions have the facts of HLS, and the manifest those of DASH. */
const joinShared = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  copy: LadderPlaylists.Copy,
  workspace: Workspace,
  encoded: ReadonlyArray<Rendition>
) {
  const source = JoinedSource.ofBytes(yield* StoredFile.read(claim, StreamFiles.index))
  const index = yield* Effect.mapError(SegmentIndex.open(source.readRange), failed)
  const hls = inFormat(copy, "hls")
  const parts: PackagedRung.Encoded<BlobError | ContentDamaged | WorkspaceError> = {
    durations: LadderPlaylists.durations(hls),
    segment: (number) => SegmentIndex.segment(index, number, source.readRange),
    content: yield* PackageContent.sourceOf(yield* PackageContent.findContent(claim)),
    open: workspace.open
  }
  const lower = yield* Effect.forEach(encoded, (rendition) => PackagedRung.measure(parts, rendition)).pipe(
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
    const events = transcoder.ladder({ ...job, format: "dash", durations })
    return join(events, copy, (encoded) => joinShared(claim, copy, workspace, encoded))
  }
  // A player that switches between the renditions takes their times as those of one presentation.
  const firstTime = presentation.isPackaged === true ? TransportStream.firstTime : undefined
  const durations = LadderPlaylists.durations(copy)
  const events = transcoder.ladder({ ...job, format: claim.format, durations, firstTime })
  return join(events, copy, (lower) => Effect.succeed({ lower, playlists: LadderPlaylists.join(copy, lower) }))
})
