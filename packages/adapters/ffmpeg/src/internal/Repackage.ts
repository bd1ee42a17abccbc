/**
 * Implements `Transcoder.repackage`: copies the tracks of a finished presentation to another format.
 */
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import type { RepackageJob } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Dash from "./arguments/Dash.ts"
import * as Hls from "./arguments/Hls.ts"
import * as Input from "./arguments/Input.ts"
import * as Options from "./arguments/Options.ts"
import type * as Tracks from "./arguments/Tracks.ts"
import type { Engine } from "./Engine.ts"
import * as FfmpegRun from "./FfmpegRun.ts"
import * as CaptionOutput from "./output/CaptionOutput.ts"
import * as SourceInput from "./output/SourceInput.ts"
import type * as SourcePlaylist from "./output/SourcePlaylist.ts"

const operation = "repackage"

/** Returns one input for each HLS rendition, which has all its tracks, or for each DASH representation, which is one track. */
const inputs = (presentation: Presentation): ReadonlyArray<SourcePlaylist.Input> =>
  presentation.format === "hls"
    ? [...StreamFiles.hlsRenditions(presentation), ...StreamFiles.hlsAudio(presentation)].map(({ prefix }) => ({
        init: undefined,
        folder: prefix,
        segment: (index) => StreamFiles.segment(prefix, index)
      }))
    : Array.from({ length: StreamFiles.dashRepresentations(presentation) }, (_, id) => ({
        init: StreamFiles.init(id),
        folder: "",
        segment: (index) => StreamFiles.chunk(id, index + 1)
      }))

/** In HLS, each rendition has the default audio, and the other audio follows. */
const toTracks = (presentation: Presentation): Tracks.Tracks => {
  const { audio, format, hasAudio, hasVideo, renditions } = presentation
  return {
    presentation,
    video: hasVideo ? renditions.map((_, index) => ({ map: `0:v:${index}`, encode: undefined })) : [],
    audio: hasAudio ? { map: "0:a:0", encode: undefined } : undefined,
    otherAudio: (audio ?? []).slice(1).map((_, index) => ({
      map: `0:a:${(format === "hls" ? renditions.length : 1) + index}`,
      encode: undefined
    })),
    // The text is copied as it is.
    captions: [],
    // Several sizes were encoded.
    cutsAtKeyframes: hasVideo && renditions.length > 1,
    filters: {}
  }
}

/** Copies the text of captions, as drafts of the output. */
const copyCaptions = ({ output, presentation, source }: RepackageJob) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    for (const { rendition, text } of StreamFiles.captionFiles(presentation)) {
      yield* files.copyFile(`${source}/${text}`, `${output}/${CaptionOutput.draftName(rendition)}`)
    }
  }).pipe(Effect.mapError((cause) => new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })))

export const make = (engine: Engine) => (job: RepackageJob) =>
  FfmpegRun.stream(
    engine,
    Effect.gen(function* () {
      const { format, output, presentation, source } = job
      const limits = engine.limits(job.limits)
      const scratch = yield* engine.scratchDirectory(operation, source)
      const { targets, url } = yield* SourceInput.write(scratch, { operation, source, inputs: inputs(presentation) })
      yield* copyCaptions(job)
      return {
        operation,
        limits,
        suspended: job.suspended,
        output,
        readable: [source, scratch.directory, ...targets],
        expected: { ...presentation, format },
        failIfCutOff: true,
        privatePaths: [scratch.directory, source, output],
        arguments: [
          // The segments were made here, but their tracks may come from an attacker: ffmpeg may open no other file.
          ...Options.make({
            ...Input.general,
            ...Input.safety(limits, presentation.format === "hls" ? "hls,mpegts" : "hls,mov,mp4"),
            f: "hls",
            i: url
          }),
          ...(format === "hls" ? Hls : Dash).outputs(toTracks(presentation))
        ]
      }
    })
  )
