/**
 * A DASH presentation in the making. Its manifest describes the whole only when the program has ended.
 */
import * as Events from "@holdfast/core/transcoding/ConversionEvent"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as OutputDirectory from "./OutputDirectory.ts"
import type { Package } from "./Package.ts"

/** How many representations there are: the pictures' and the sound's. */
export const representations = ({ hasAudio, hasVideo, renditions }: Omit<Presentation, "format">): number =>
  (hasVideo ? renditions.length : 0) + (hasAudio ? 1 : 0)

export const make = (path: string, planned: Presentation): Effect.Effect<Package, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const { hasAudio, hasVideo, renditions } = planned
    const directory = yield* OutputDirectory.make(path, "dash", [])
    const count = representations(planned)
    const bytes = Array.from({ length: count }, () => 0)

    const take = Effect.map(directory.newSegments, (names) =>
      names.map((name) => {
        const id = Number(name.split("-")[1])
        bytes[id] = (bytes[id] ?? 0) + directory.sizeOf(name)
        return Events.SegmentFinished({ name })
      })
    )

    const finish = (seconds: number) =>
      Effect.gen(function* () {
        const segments = yield* take
        const name = StreamFiles.entry("dash")
        const text = yield* directory.read(name)
        if (segments.length + bytes.reduce((sum, size) => sum + size, 0) === 0 || text === undefined) {
          return { events: segments, presentation: undefined }
        }
        const inits = Array.from({ length: count }, (_, id) => Events.SegmentFinished({ name: StreamFiles.init(id) }))
        const sound = hasAudio ? (bytes[count - 1] ?? 0) : 0
        const bits = (size: number) => Math.round((8 * size) / Math.max(seconds, 0.001))
        return {
          events: [...segments, ...inits, Events.PlaylistUpdated({ name, text })],
          presentation: {
            format: "dash" as const,
            duration: seconds,
            hasVideo,
            hasAudio,
            renditions: Arr.map(renditions, (rendition, index) => ({
              ...rendition,
              bitrate: bits((hasVideo ? (bytes[index] ?? 0) : 0) + sound)
            }))
          }
        }
      })

    return { measure: directory.measure, take, finish }
  })
