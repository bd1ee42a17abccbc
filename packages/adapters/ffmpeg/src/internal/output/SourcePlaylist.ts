/**
 * Makes playlists over the segments of a finished presentation, through which ffmpeg reads it as one input.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import { segmentSeconds } from "../arguments/Encoding.ts"

export interface Input {
  /** Name of the initialization segment, if there is one. */
  readonly init: string | undefined
  /** Directory of the segments: empty, or a subdirectory with a trailing slash. */
  readonly folder: string
  /** Returns the name of a media segment; `index` counts from 0. */
  readonly segment: (index: number) => string
}

/** The first segment of the presentation is missing. */
class SegmentMissing extends Data.TaggedError("SegmentMissing")<{ readonly name: string }> {}

/** Makes a media playlist of the segments in a directory, with `prefix` in their URIs, up to the first that is missing. */
export const make = Effect.fnUntraced(function* (
  directory: string,
  prefix: string,
  { folder, init, segment }: Input
): Effect.fn.Return<string, PlatformError | SegmentMissing, FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const present = new Set((yield* files.readDirectory(`${directory}/${folder}`)).map((name) => `${folder}${name}`))
  const lines: Array<string> = []
  for (let index = 0; present.has(segment(index)); index++) {
    lines.push(`#EXTINF:${segmentSeconds},`, `${prefix}/${segment(index)}`)
  }
  if (lines.length === 0) return yield* new SegmentMissing({ name: segment(0) })
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    `#EXT-X-TARGETDURATION:${segmentSeconds}`,
    "#EXT-X-PLAYLIST-TYPE:VOD",
    ...(init === undefined ? [] : [`#EXT-X-MAP:URI="${prefix}/${init}"`]),
    ...lines,
    "#EXT-X-ENDLIST",
    ""
  ].join("\n")
})

/** Makes a multivariant playlist over media playlists. As one input, their timestamps keep their relation to each other. */
export const multivariant = (names: ReadonlyArray<string>): string =>
  ["#EXTM3U", ...names.flatMap((name) => ["#EXT-X-STREAM-INF:BANDWIDTH=1", name]), ""].join("\n")
