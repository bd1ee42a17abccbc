/**
 * An HLS presentation in the making. FFmpeg keeps the playlist of each rendition; the multivariant one is made here.
 */
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import * as Events from "@holdfast/core/transcoding/ConversionEvent"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Hls from "../arguments/Hls.ts"
import * as MediaPlaylist from "./MediaPlaylist.ts"
import * as MultivariantPlaylist from "./MultivariantPlaylist.ts"
import * as OutputDirectory from "./OutputDirectory.ts"
import type { Package } from "./PresentationOutput.ts"
import * as TransportStream from "./TransportStream.ts"

/** Where the description of the picture is looked for in a segment. */
const headBytes = 64 * 1024
const audioCodec = "mp4a.40.2"

/** Seconds that a segment counts at least, where a bitrate is reckoned. */
const shortest = 0.001

export const make = (path: string, planned: Presentation): Effect.Effect<Package, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const { hasAudio, hasVideo, renditions } = planned
    const places = Hls.places(renditions)
    const folders = places.map(({ prefix }) => prefix).filter((prefix) => prefix !== "")
    const directory = yield* OutputDirectory.make(path, "hls", folders)
    const texts = new Map<string, string>()
    let codecs: ReadonlyArray<ReadonlyArray<string>> | undefined

    const entriesOf = ({ playlist }: Hls.Place) => MediaPlaylist.entries(texts.get(playlist) ?? "")
    const isPlayable = () => places.every((place) => entriesOf(place).length > 0)

    /** What came out of a rendition: how long it plays, its average and its peak. */
    const measured = (place: Hls.Place) => {
      const segments = entriesOf(place).map(({ duration, uri }) => ({ duration, bits: 8 * directory.sizeOf(uri) }))
      const seconds = segments.reduce((sum, { duration }) => sum + duration, 0)
      const bits = segments.reduce((sum, segment) => sum + segment.bits, 0)
      return {
        seconds,
        rendition: { ...place.rendition, bitrate: Math.round(bits / Math.max(seconds, shortest)) },
        peakBitrate: segments.reduce(
          (peak, { bits, duration }) => Math.max(peak, Math.round(bits / Math.max(duration, shortest))),
          0
        )
      }
    }

    const expected = ({ rendition }: Hls.Place) => ({ rendition, peakBitrate: rendition.bitrate })

    const codecsOf = ({ prefix }: Hls.Place) =>
      Effect.map(directory.head(StreamFiles.segment(prefix, 0), headBytes), (head) =>
        [hasVideo ? TransportStream.videoCodec(head) : undefined, hasAudio ? audioCodec : undefined].filter(
          (codec) => codec !== undefined
        )
      )

    const multivariant = (
      rates: (place: Hls.Place) => Pick<MultivariantPlaylist.Variant, "rendition" | "peakBitrate">
    ) =>
      Effect.gen(function* () {
        codecs ??= yield* Effect.forEach(places, codecsOf)
        const found = codecs
        const name = StreamFiles.entry("hls")
        const text = MultivariantPlaylist.render(
          places.map((place, index) => ({ ...rates(place), uri: place.playlist, codecs: found[index] ?? [] }))
        )
        texts.set(name, text)
        yield* directory.write(name, text)
        return Events.PlaylistUpdated({ name, text })
      })

    /** Playlists are read before the directory is, so that what they name is found there. */
    const take = Effect.gen(function* () {
      const updated: Array<ConversionEvent> = []
      for (const { playlist: name } of places) {
        const text = yield* directory.read(name)
        if (text === undefined || text === texts.get(name)) continue
        texts.set(name, text)
        updated.push(Events.PlaylistUpdated({ name, text }))
      }
      const segments = (yield* directory.newSegments).map((name) => Events.SegmentFinished({ name }))
      const events: ReadonlyArray<ConversionEvent> = [...segments, ...updated]
      const isDue = places.length > 1 && !texts.has(StreamFiles.entry("hls")) && isPlayable()
      return isDue ? [...events, yield* multivariant(expected)] : events
    })

    const finish = Effect.gen(function* () {
      const events = yield* take
      if (!isPlayable()) return { events, presentation: undefined }
      const results = Arr.map(places, measured)
      const presentation: Presentation = {
        ...planned,
        duration: Arr.headNonEmpty(results).seconds,
        renditions: Arr.map(results, ({ rendition }) => rendition)
      }
      return { events: places.length > 1 ? [...events, yield* multivariant(measured)] : events, presentation }
    })

    return { measure: directory.measure, take, finish }
  })
