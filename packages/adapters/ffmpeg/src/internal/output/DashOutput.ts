/**
 * The output of a DASH presentation. Its manifest is complete only when the program has exited.
 */
import * as Events from "@holdfast/core/transcoding/ConversionEvent"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Bitrates from "@holdfast/core/transcoding/Bitrates"
import * as CaptionOutput from "./CaptionOutput.ts"
import * as Manifest from "./Manifest.ts"
import * as OutputDirectory from "./OutputDirectory.ts"
import type { PresentationOutput } from "./PresentationOutput.ts"

export const make = (
  path: string,
  expected: Presentation
): Effect.Effect<PresentationOutput, never, FileSystem.FileSystem> =>
  Effect.map(OutputDirectory.make(path, "dash"), (directory) => over(directory, expected))

/** Makes the output in a directory. */
export const over = (
  directory: OutputDirectory.OutputDirectory,
  expected: Presentation,
  finishCaptions: CaptionOutput.Finish = (duration) => CaptionOutput.finish(directory, expected, duration)
): PresentationOutput => {
  const { hasAudio, hasVideo, renditions } = expected
  const count = StreamFiles.dashRepresentations(expected)

  const defaultAudio = hasVideo ? renditions.length : 0
  /** Whether the default audio has a segment, or the presentation has none. A run without sound reports no event. */
  const isAudible = () => !hasAudio || directory.sizeOf(StreamFiles.chunk(defaultAudio, 1)) > 0

  let held: ReadonlyArray<string> = []
  const takeEvents = Effect.map(directory.newSegments, (names) => {
    const all = [...held, ...names]
    held = isAudible() ? [] : all
    return isAudible() ? all.map((name) => Events.SegmentFinished({ name })) : []
  })

  /** Returns the bitrates of each representation, by its id. */
  const measureRates = (manifest: string) =>
    Array.from({ length: count }, (_, id) =>
      Bitrates.measure(
        Manifest.segmentDurations(manifest, id).map((duration, index) => ({
          duration,
          bytes: directory.sizeOf(StreamFiles.chunk(id, index + 1))
        }))
      )
    )

  const finish = Effect.gen(function* () {
    const events = yield* takeEvents
    const name = StreamFiles.entry("dash")
    const written = yield* directory.read(name)
    const duration = Manifest.duration(written ?? "")
    if (written === undefined || duration === 0 || !isAudible()) return { events, presentation: undefined }
    const rates = measureRates(written)
    const peaks = rates.map(({ peak }) => peak)
    const captions = yield* finishCaptions(duration)
    const text = Manifest.correct(written, {
      duration,
      bandwidths: peaks,
      audio: expected.audio ?? [],
      captions: StreamFiles.captionFiles(captions.presentation)
    })
    const averageOf = (id: number) => rates[id]?.average ?? 0
    yield* directory.write(name, text)
    const inits = rates.map((_, id) => Events.SegmentFinished({ name: StreamFiles.init(id) }))
    const presentation: Presentation = {
      ...captions.presentation,
      duration,
      renditions: Arr.map(renditions, (rendition, index) => ({
        ...rendition,
        bitrate: (hasVideo ? averageOf(index) : 0) + (hasAudio ? averageOf(defaultAudio) : 0)
      }))
    }
    return { events: [...events, ...inits, ...captions.events, Events.PlaylistUpdated({ name, text })], presentation }
  })

  return { measureBytes: directory.measureBytes, takeEvents, finish }
}
