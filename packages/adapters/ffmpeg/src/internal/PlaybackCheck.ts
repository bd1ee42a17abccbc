/**
 * Checks that a finished presentation can be played: a copy may lack what its source had only once, or what only some players
 * forgive.
 */
import type { ConversionPlan } from "@holdfast/core/transcoding/ConversionPlan"
import { longestSegment } from "@holdfast/core/transcoding/ConversionPlan"
import type * as Limits from "@holdfast/core/transcoding/Limits"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import * as Input from "./arguments/Input.ts"
import * as Options from "./arguments/Options.ts"
import type { Engine } from "./Engine.ts"
import { withMaxTime } from "./Engine.ts"
import * as AnnexB from "./output/AnnexB.ts"
import * as Manifest from "./output/Manifest.ts"
import * as MediaPlaylist from "./output/MediaPlaylist.ts"
import * as ExitError from "./process/ExitError.ts"
import type { ScratchDirectory } from "./process/ScratchDirectory.ts"

/** Of the check of one segment, whatever the limits of a conversion are. */
const maxTime = Duration.minutes(1)

/** The segments of a track, or of all tracks of an HLS rendition. */
interface Track {
  readonly hasVideo: boolean
  /** The initialization segment of DASH. */
  readonly init: string | undefined
  readonly segments: ReadonlyArray<string>
  /** Seconds. */
  readonly longest: number
}

export interface PlaybackCheck {
  readonly operation: string
  readonly limits: Limits.Limits
  readonly plan: ConversionPlan
  /** Path of the directory of the presentation. */
  readonly output: string
}

const hlsTracks = Effect.fnUntraced(function* (output: string, presentation: Presentation) {
  const files = yield* FileSystem.FileSystem
  const all = [...StreamFiles.hlsRenditions(presentation), ...StreamFiles.hlsAudio(presentation)]
  return yield* Effect.forEach(all, ({ playlist }, index) =>
    Effect.map(files.readFileString(`${output}/${playlist}`), (text): Track => {
      const entries = MediaPlaylist.entries(text)
      return {
        hasVideo: presentation.hasVideo && index < presentation.renditions.length,
        init: undefined,
        segments: entries.map(({ uri }) => uri),
        longest: entries.reduce((longest, { duration }) => Math.max(longest, duration), 0)
      }
    })
  )
})

const dashTracks = Effect.fnUntraced(function* (output: string, presentation: Presentation) {
  const files = yield* FileSystem.FileSystem
  const names = yield* files.readDirectory(output)
  const longest = Manifest.longestSegment(yield* files.readFileString(`${output}/${StreamFiles.entry("dash")}`))
  return Array.from({ length: StreamFiles.dashRepresentations(presentation) }, (_, id): Track => {
    const count = names.filter((name) => name.startsWith(`chunk-${id}-`)).length
    return {
      hasVideo: presentation.hasVideo && id < presentation.renditions.length,
      init: StreamFiles.init(id),
      segments: Array.from({ length: count }, (__, index) => StreamFiles.chunk(id, index + 1)),
      longest
    }
  })
})

/** Names in the scratch directory: the first frame of a segment, and a DASH segment with its initialization segment. */
const frameName = "frame.h264"
const wholeName = "whole.mp4"

/** A segment as an input of FFmpeg's programs. */
interface Segment {
  readonly scratch: ScratchDirectory
  readonly formats: string
  readonly url: string
}

const toSegment = Effect.fnUntraced(function* (engine: Engine, check: PlaybackCheck, track: Track, name: string) {
  const files = yield* FileSystem.FileSystem
  const scratch = yield* engine.scratchDirectory(check.operation, check.output)
  if (track.init === undefined) return { scratch, formats: "mpegts", url: `${scratch.input}/${name}` }
  const parts = yield* Effect.forEach([track.init, name], (part) => files.readFile(`${check.output}/${part}`))
  yield* files.writeFile(`${scratch.directory}/${wholeName}`, Buffer.concat(parts))
  return { scratch, formats: "mov,mp4", url: `file:${scratch.directory}/${wholeName}` }
})

/** Runs a program on a segment. Returns its output; undefined if it fails because of the segment. */
const inspect = Effect.fnUntraced(function* (
  engine: Engine,
  { limits: all, operation, output }: PlaybackCheck,
  { formats, scratch, url }: Segment,
  [program, before, after]: readonly [
    program: "ffmpeg" | "ffprobe",
    before: Options.Options,
    after: ReadonlyArray<string>
  ]
) {
  const limits = withMaxTime(all, maxTime)
  const child = yield* engine.spawn(program, {
    operation,
    limits,
    directory: scratch.directory,
    readable: [output, scratch.directory],
    arguments: [
      ...Options.make({ ...before, ...Input.safety(limits, formats), threads: limits.threads, i: url }),
      ...after
    ]
  })
  const text = yield* Stream.mkString(child.stdout)
  const exit = yield* child.exit
  if (exit.code === 0) return text
  const error = ExitError.fromExit(operation, exit, "Failed", [scratch.input, scratch.directory, output])
  return error.reason === "Failed" ? undefined : yield* error
})

/** Counts what is read and what is decoded of each stream. */
const counting: Options.Options = {
  loglevel: "level+error",
  count_packets: true,
  count_frames: true,
  show_entries: "stream=nb_read_packets,nb_read_frames",
  print_format: "csv=print_section=0"
}

/** Whether at least half of the packets of each stream are decoded: a decoder may need some before the first frame. */
const isDecoded = (counts: string): boolean =>
  counts
    .split("\n")
    .filter((line) => line !== "")
    .every((line) => {
      // ffprobe orders the columns: frames, then packets.
      const [frames = 0, packets = 0] = line.split(",").map((value) => Number(value) || 0)
      return 2 * frames >= packets - 1
    })

/**
 * Checks a segment. Returns what is wrong; undefined if it begins with a frame that needs no other and with its parameters, and,
 * with `decodes`, if it can be decoded.
 */
const checkSegment = (engine: Engine, check: PlaybackCheck, track: Track, name: string, decodes: boolean) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const segment = yield* toSegment(engine, check, track, name)
    if (decodes) {
      const counts = yield* inspect(engine, check, segment, ["ffprobe", counting, []])
      if (counts === undefined || !isDecoded(counts)) return "A segment cannot be decoded."
    }
    if (!track.hasVideo) return undefined
    // Without the filter, FFmpeg takes a NAL unit of 256 to 511 bytes in MP4, whose length is `00 00 01 xx`, for one with a start code.
    const first = Options.make({ map: "0:v", c: "copy", "bsf:v": "h264_mp4toannexb", "frames:v": 1, f: "h264" })
    const copied = yield* inspect(engine, check, segment, [
      "ffmpeg",
      { ...Input.general, loglevel: "level+error" },
      [...first, frameName]
    ])
    const path = `${segment.scratch.directory}/${frameName}`
    return copied !== undefined && AnnexB.startsAlone(yield* files.readFile(path))
      ? undefined
      : "A segment does not begin with a frame that can be decoded alone."
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({ duration: maxTime, orElse: () => Effect.succeed("A segment takes too long to decode.") })
  )

/** Whether a track of the presentation is a copy. */
export const hasCopy = ({ audio, otherAudio, video }: ConversionPlan): boolean =>
  [audio, video, ...otherAudio.map(({ plan }) => plan)].some(({ _tag }) => _tag === "Copy")

/** Returns why a track cannot be played by all players; undefined if it can. */
const checkTrack = Effect.fnUntraced(function* (engine: Engine, check: PlaybackCheck, track: Track) {
  if (check.plan.video._tag === "Copy" && track.longest > longestSegment + 1) return "The keyframes are too far apart."
  const decodes = hasCopy(check.plan)
  for (const name of new Set([track.segments[0], track.segments.at(-1)])) {
    if (name === undefined) continue
    const fault = yield* checkSegment(engine, check, track, name, decodes)
    if (fault !== undefined) return fault
  }
  return undefined
})

/**
 * Checks the first and the last segment of each track. A presentation with copied tracks fails with `NotCopyable`, one without with
 * `Failed`.
 */
export const run = (engine: Engine, check: PlaybackCheck, presentation: Presentation) =>
  Effect.gen(function* () {
    const { operation, output, plan } = check
    const isHls = presentation.format === "hls" && presentation.isShared !== true
    const tracks = yield* (isHls ? hlsTracks : dashTracks)(output, presentation)
    for (const track of tracks) {
      const detail = yield* checkTrack(engine, check, track)
      if (detail === undefined) continue
      const reason = hasCopy(plan) ? "NotCopyable" : "Failed"
      return yield* new TranscodeError.TranscodeError({ operation, reason, detail })
    }
  }).pipe(
    Effect.catchTag("PlatformError", (cause: PlatformError) =>
      Effect.fail(new TranscodeError.TranscodeError({ operation: check.operation, reason: "Internal", cause }))
    )
  )
