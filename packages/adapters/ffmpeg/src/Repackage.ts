/**
 * Makes a presentation in another format from one that stands, copying every track.
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
import * as FfmpegRun from "./FfmpegRun.ts"
import { makeFolders } from "./Convert.ts"
import type { Engine } from "./Engine.ts"
import * as DashOutput from "./output/DashOutput.ts"
import * as SourcePlaylist from "./output/SourcePlaylist.ts"
import type { Workspace } from "./process/ScratchDirectory.ts"

const operation = "repackage"

/** One playlist for each HLS rendition, which has all its tracks, or for each DASH representation, which is one track. */
const inputs = (presentation: Presentation): ReadonlyArray<SourcePlaylist.Input> =>
  presentation.format === "hls"
    ? Hls.places(presentation.renditions).map(({ prefix }) => ({
        init: undefined,
        folder: prefix,
        segment: (index) => StreamFiles.segment(prefix, index)
      }))
    : Array.from({ length: DashOutput.representations(presentation) }, (_, id) => ({
        init: StreamFiles.init(id),
        folder: "",
        segment: (index) => StreamFiles.chunk(id, index + 1)
      }))

const tracksOf = ({ hasAudio, hasVideo, renditions }: Presentation): Tracks.Tracks => ({
  renditions,
  pictures: hasVideo ? renditions.map((_, index) => ({ map: `0:v:${index}`, encode: undefined })) : [],
  sound: hasAudio ? { map: "0:a:0", encode: undefined } : undefined,
  filters: {}
})

const playlistName = (index: number): string => `${index}.m3u8`
const inputName = "input.m3u8"

/** Writes the playlists into the workspace; gives the URL of the one over all. */
const writeSource = (workspace: Workspace, source: string, presentation: Presentation) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const all = inputs(presentation)
    yield* Effect.forEach(all, (input, index) =>
      Effect.flatMap(SourcePlaylist.make(source, workspace.link, input), (text) =>
        files.writeFileString(`${workspace.directory}/${playlistName(index)}`, text)
      )
    )
    const names = all.map((_, index) => playlistName(index))
    yield* files.writeFileString(`${workspace.directory}/${inputName}`, SourcePlaylist.over(names))
    return `file:${workspace.directory}/${inputName}`
  }).pipe(Effect.mapError((cause) => new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })))

export const make = (engine: Engine) => (job: RepackageJob) =>
  FfmpegRun.run(
    engine,
    Effect.gen(function* () {
      const { format, output, presentation, source } = job
      const limits = engine.limits(job.limits)
      const workspace = yield* engine.workspace(operation, source)
      const url = yield* writeSource(workspace, source, presentation)
      const planned: Presentation = { ...presentation, format }
      yield* makeFolders(operation, output, planned)
      return {
        operation,
        limits,
        output,
        planned,
        strict: true,
        names: [workspace.directory, source, output],
        arguments: [
          // The segments were made here, yet what they carry was not: nothing else is opened but them.
          ...Options.make({
            ...Input.general,
            ...Input.safety(limits, presentation.format === "hls" ? "hls,mpegts" : "hls,mov,mp4"),
            f: "hls",
            i: url
          }),
          ...(format === "hls" ? Hls : Dash).outputs(tracksOf(presentation))
        ]
      }
    })
  )
