/**
 * The output of a DASH presentation. Its manifest is complete only when the program has exited.
 */
import * as Events from "@holdfast/core/transcoding/ConversionEvent"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Manifest from "./Manifest.ts"
import * as OutputDirectory from "./OutputDirectory.ts"
import type { PresentationOutput } from "./PresentationOutput.ts"

export const make = (
  path: string,
  expected: Presentation
): Effect.Effect<PresentationOutput, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const { hasAudio, hasVideo, renditions } = expected
    const directory = yield* OutputDirectory.make(path, "dash")
    const count = StreamFiles.dashRepresentations(expected)
    /** Bytes of each representation, by its id. */
    const sizes = Array.from({ length: count }, () => 0)

    const takeEvents = Effect.map(directory.newSegments, (names) =>
      names.map((name) => {
        const id = Number(name.split("-")[1])
        sizes[id] = (sizes[id] ?? 0) + directory.sizeOf(name)
        return Events.SegmentFinished({ name })
      })
    )

    /** Returns the bytes of a rendition's video, if it has one, and of the audio. */
    const sizeOf = (index: number): number =>
      (hasVideo ? (sizes[index] ?? 0) : 0) + (hasAudio ? (sizes[count - 1] ?? 0) : 0)

    const finish = Effect.gen(function* () {
      const events = yield* takeEvents
      const name = StreamFiles.entry("dash")
      const written = yield* directory.read(name)
      const duration = Manifest.duration(written ?? "")
      if (written === undefined || duration === 0) return { events, presentation: undefined }
      const text = Manifest.withDuration(written, duration)
      yield* directory.write(name, text)
      const inits = sizes.map((_, id) => Events.SegmentFinished({ name: StreamFiles.init(id) }))
      const presentation: Presentation = {
        ...expected,
        duration,
        renditions: Arr.map(renditions, (rendition, index) => ({
          ...rendition,
          bitrate: Math.round((8 * sizeOf(index)) / duration)
        }))
      }
      return { events: [...events, ...inits, Events.PlaylistUpdated({ name, text })], presentation }
    })

    return { measureBytes: directory.measureBytes, takeEvents, finish }
  })
