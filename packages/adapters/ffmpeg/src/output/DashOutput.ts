/**
 * A DASH presentation in the making. Its manifest describes the whole only when the program has ended.
 */
import * as Events from "@holdfast/core/transcoding/ConversionEvent"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Manifest from "./Manifest.ts"
import * as OutputDirectory from "./OutputDirectory.ts"
import type { Package } from "./PresentationOutput.ts"

/** How many representations there are: the pictures' and the sound's. */
export const representations = ({ hasAudio, hasVideo, renditions }: Omit<Presentation, "format">): number =>
  (hasVideo ? renditions.length : 0) + (hasAudio ? 1 : 0)

export const make = (path: string, planned: Presentation): Effect.Effect<Package, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const { hasAudio, hasVideo, renditions } = planned
    const directory = yield* OutputDirectory.make(path, "dash", [])
    const count = representations(planned)
    /** Bytes of each representation. */
    const sizes = Array.from({ length: count }, () => 0)

    const take = Effect.map(directory.newSegments, (names) =>
      names.map((name) => {
        const id = Number(name.split("-")[1])
        sizes[id] = (sizes[id] ?? 0) + directory.sizeOf(name)
        return Events.SegmentFinished({ name })
      })
    )

    /** A rendition's own bytes, and those of the sound. */
    const sizeOf = (index: number): number =>
      (hasVideo ? (sizes[index] ?? 0) : 0) + (hasAudio ? (sizes[count - 1] ?? 0) : 0)

    const finish = Effect.gen(function* () {
      const events = yield* take
      const name = StreamFiles.entry("dash")
      const written = yield* directory.read(name)
      const duration = Manifest.duration(written ?? "")
      if (written === undefined || duration === 0) return { events, presentation: undefined }
      const text = Manifest.withDuration(written, duration)
      yield* directory.write(name, text)
      const inits = sizes.map((_, id) => Events.SegmentFinished({ name: StreamFiles.init(id) }))
      const presentation: Presentation = {
        ...planned,
        duration,
        renditions: Arr.map(renditions, (rendition, index) => ({
          ...rendition,
          bitrate: Math.round((8 * sizeOf(index)) / duration)
        }))
      }
      return { events: [...events, ...inits, Events.PlaylistUpdated({ name, text })], presentation }
    })

    return { measure: directory.measure, take, finish }
  })
