/**
 * Continues the audio of a shared presentation with segments of silence, where it ends segments before the video. Players wait for audio
 * where it ends, and hls.js never goes on.
 */
import type { PackagingError } from "@holdfast/core/packaging/PackagingError"
import * as SharedTracks from "@holdfast/core/packaging/SharedTracks"
import type { Source } from "@holdfast/core/packaging/Source"
import * as StoredSegment from "@holdfast/core/packaging/StoredSegment"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"

/** What ffmpeg has written. */
export interface Written {
  readonly tracks: SharedTracks.SharedTracks
  /** Opens a segment of DASH by its name; undefined if there is none. */
  readonly find: (name: string) => Source<PlatformError> | undefined
  readonly write: (name: string, bytes: Uint8Array) => Effect.Effect<void, PlatformError>
}

/** The seconds of the segments of silence that were written for representations of DASH, by their ids. */
export type Silences = ReadonlyMap<number, ReadonlyArray<number>>

const countOf = ({ find }: Written, representation: number): number => {
  let count = 0
  while (find(StreamFiles.chunk(representation, count + 1)) !== undefined) count++
  return count
}

/** Returns what finds out when a segment of the video ends, in seconds of the presentation. */
const makeEndOf = ({ find, tracks }: Written, rendition: StreamFiles.SharedRendition) => {
  const ends = new Map<number, number>()
  return Effect.fnUntraced(function* (sequence: number) {
    const known = ends.get(sequence)
    if (known !== undefined) return known
    const { end } = yield* SharedTracks.toTransport(tracks, { ...rendition, audio: null }, sequence, find)
    ends.set(sequence, end)
    return end
  })
}

/** Writes as many segments as the video has. */
const writeSilence = Effect.fnUntraced(function* (
  written: Written,
  audio: number,
  count: number,
  endOf: ReturnType<typeof makeEndOf>
) {
  const { find, tracks, write } = written
  const durations: Array<number> = []
  const init = tracks.tracks[audio]
  const last = countOf(written, audio)
  if (init === undefined || last === 0 || last >= count) return durations
  let end = yield* StoredSegment.endOfAudio({ init, segment: find(StreamFiles.chunk(audio, last)) })
  for (let sequence = last; end !== undefined && sequence < count; sequence++) {
    const silence = yield* StoredSegment.silence(end, yield* endOf(sequence), sequence)
    if (silence === undefined) return durations
    yield* write(StreamFiles.chunk(audio, sequence + 1), silence.bytes)
    durations.push(silence.duration)
    end = silence.end
  }
  return durations
})

/** Writes the segments that are missing. Audio that is no AAC, which only some players choose, stays as it is. */
export const write = Effect.fnUntraced(function* (
  written: Written
): Effect.fn.Return<Silences, PlatformError | PackagingError> {
  const { renditions } = written.tracks
  const rendition = renditions.find(({ video }) => video !== null)
  const silences = new Map<number, ReadonlyArray<number>>()
  if (rendition?.video == null) return silences
  const count = countOf(written, rendition.video)
  const endOf = makeEndOf(written, rendition)
  for (const audio of SharedTracks.audioRepresentations(renditions))
    silences.set(audio, yield* writeSilence(written, audio, count, endOf))
  return silences
})
