/**
 * Playlists over the segments of a finished presentation, by which FFmpeg reads it as one input.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import { segmentSeconds } from "../arguments/Encoding.ts"

export interface Input {
  /** The initialization segment, where there is one. */
  readonly init: string | undefined
  /** Where the segments are: empty, or a subdirectory with a slash at its end. */
  readonly folder: string
  /** The media segments' names, counted from 0. */
  readonly segment: (index: number) => string
}

/** A presentation without its first segment. */
export class SegmentMissing extends Data.TaggedError("SegmentMissing")<{ readonly name: string }> {}

/** Names the segments that stand in the directory, below `prefix`, up to the first that does not. */
export const make = (
  directory: string,
  prefix: string,
  { folder, init, segment }: Input
): Effect.Effect<string, PlatformError | SegmentMissing, FileSystem.FileSystem> =>
  Effect.gen(function* () {
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

/** A playlist over all of them, as one input: so their times stay as they are to each other. */
export const over = (names: ReadonlyArray<string>): string =>
  ["#EXTM3U", ...names.flatMap((name) => ["#EXT-X-STREAM-INF:BANDWIDTH=1", name]), ""].join("\n")
