/**
 * The output of the lower renditions of a copy.
 */
import * as Events from "@holdfast/core/transcoding/ConversionEvent"
import type { Presentation, Rendition } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Bitrates from "@holdfast/core/transcoding/Bitrates"
import * as MediaPlaylist from "./MediaPlaylist.ts"
import * as OutputDirectory from "./OutputDirectory.ts"
import type { PresentationOutput } from "./PresentationOutput.ts"
import * as TransportStream from "./TransportStream.ts"

/** Seconds by which a segment may begin at another time than that of the copy. */
const tolerance = 0.1

/** Whether the segments begin with those of the copy. The last one ends with the content. */
const fit = (actual: ReadonlyArray<number>, expected: ReadonlyArray<number>): boolean => {
  let difference = 0
  return (
    actual.length === expected.length &&
    actual.slice(0, -1).every((seconds, index) => {
      difference += seconds - (expected[index] ?? 0)
      return Math.abs(difference) <= tolerance
    })
  )
}

/** The part of a segment that contains the parameters of the video. */
const headBytes = 64 * 1024
const audioCodec = "mp4a.40.2"

const twoDigits = (value: number): string => String(value).padStart(2, "0")

/** Returns the codec of video of 8 bits, from the box `av1C` (AV1 in ISO base media, 2.3 and 5). */
const av1Codec = (box: Buffer): string => {
  const [, profileAndLevel = 0, tier = 0] = box
  return `av01.${profileAndLevel >> 5}.${twoDigits(profileAndLevel & 31)}${tier >> 7 === 1 ? "H" : "M"}.08`
}

/** Returns the codec of an initialization segment, from its box `avcC` (ISO/IEC 14496-15, 5.3.3.1) or `av1C`. */
const videoCodec = (init: Uint8Array): string | undefined => {
  const bytes = Buffer.from(init)
  const at = bytes.indexOf("avcC")
  if (at >= 0) return `avc1.${bytes.subarray(at + 5, at + 8).toString("hex")}`
  const av1 = bytes.indexOf("av1C")
  return av1 < 0 ? undefined : av1Codec(bytes.subarray(av1 + 4))
}

/** Makes the output of a run whose segments have to last as long as `durations`, and whose files have names that begin with `prefix`. */
export const make =
  (durations: ReadonlyArray<number>, prefix?: string) =>
  (path: string, expected: Presentation): Effect.Effect<PresentationOutput, never, FileSystem.FileSystem> =>
    Effect.gen(function* () {
      const { format, hasAudio, renditions } = expected
      const directory = yield* OutputDirectory.make(path, format, prefix)
      const takeEvents = Effect.map(directory.newSegments, (names) =>
        names.map((name) => Events.SegmentFinished({ name }))
      )

      const codecsOf = (rendition: Rendition) =>
        format === "hls"
          ? Effect.map(
              directory.head(StreamFiles.segment(StreamFiles.segmentPrefix(rendition, false), 0), headBytes),
              (head) => [TransportStream.videoCodec(head), hasAudio ? audioCodec : undefined]
            )
          : Effect.map(directory.head(StreamFiles.ladderInit(rendition), headBytes), (head) => [videoCodec(head)])

      /** Returns the rendition with what its segments are; undefined if they do not fit. */
      const measure = Effect.fnUntraced(function* (rendition: Rendition) {
        const name = StreamFiles.mediaPlaylist(rendition)
        const entries = MediaPlaylist.entries((yield* directory.read(name)) ?? "")
        yield* directory.remove(name)
        const lasting = entries.map(({ duration }) => duration)
        if (!fit(lasting, durations)) return undefined
        const { average, peak } = Bitrates.measure(
          entries.map(({ duration, uri }) => ({ duration, bytes: directory.sizeOf(uri) }))
        )
        const codecs = (yield* codecsOf(rendition)).filter((codec) => codec !== undefined)
        return { ...rendition, bitrate: average, peakBitrate: peak, codecs }
      })

      const finish = Effect.gen(function* () {
        const events = yield* takeEvents
        const measured = (yield* Effect.forEach(renditions, measure)).filter((rendition) => rendition !== undefined)
        if (!Arr.isReadonlyArrayNonEmpty(measured) || measured.length < renditions.length) {
          return { events, presentation: undefined }
        }
        const inits =
          format === "hls" ? [] : measured.map((one) => Events.SegmentFinished({ name: StreamFiles.ladderInit(one) }))
        const duration = durations.reduce((sum, seconds) => sum + seconds, 0)
        const presentation: Presentation = { ...expected, duration, renditions: measured }
        return { events: [...events, ...inits], presentation }
      })

      return { measureBytes: directory.measureBytes, takeEvents, finish }
    })
