/**
 * The output of an HLS presentation. ffmpeg writes the media playlist of each rendition; this module writes the multivariant
 * playlist.
 */
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import * as Events from "@holdfast/core/transcoding/ConversionEvent"
import * as MultivariantPlaylist from "@holdfast/core/transcoding/MultivariantPlaylist"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Bitrates from "@holdfast/core/transcoding/Bitrates"
import { segmentSeconds } from "../arguments/Encoding.ts"
import * as CaptionOutput from "./CaptionOutput.ts"
import * as MediaPlaylist from "./MediaPlaylist.ts"
import * as OutputDirectory from "./OutputDirectory.ts"
import type { PresentationOutput } from "./PresentationOutput.ts"
import * as TransportStream from "./TransportStream.ts"

/** The part of a segment that contains the parameters of the video. */
const headBytes = 64 * 1024
const audioCodec = "mp4a.40.2"

/** Where the media playlists and segments of a presentation are. */
export interface HlsMedia {
  readonly directory: Pick<
    OutputDirectory.OutputDirectory,
    "measureBytes" | "newSegments" | "read" | "remove" | "sizeOf" | "write"
  >
  /** Returns the codecs of the segments of a rendition (RFC 6381). Some of its segments have finished. */
  /** Whether a segment has sound, or the presentation has none. No event is reported before, so that a run without sound reports none. */
  readonly isAudible: Effect.Effect<boolean, PlatformError>
  readonly codecsOf: (rendition: StreamFiles.HlsRendition) => Effect.Effect<ReadonlyArray<string>, PlatformError>
  readonly finishCaptions: CaptionOutput.Finish
}

/** Bytes of a segment that are searched for audio at once. */
const searchBytes = 1024 * TransportStream.packetBytes

/** Returns whether a segment of the first rendition has audio. Each segment is read once, until one has. */
const findAudio = (directory: OutputDirectory.OutputDirectory, expected: Presentation) => {
  const { prefix } = Arr.headNonEmpty(StreamFiles.hlsRenditions(expected))
  let isFound = false
  let index = 0
  return Effect.gen(function* () {
    if (isFound) return true
    yield* directory.measureBytes
    for (;;) {
      const name = StreamFiles.segment(prefix, index)
      const size = directory.sizeOf(name)
      if (size === 0) return false
      for (let offset = 0; offset < size && !isFound; offset += searchBytes) {
        isFound = TransportStream.hasAudio(yield* directory.readRange(name, { offset, length: searchBytes }))
      }
      if (isFound) return true
      index++
    }
  })
}

/** Makes the output of media playlists and segments that ffmpeg writes. */
export const make = (
  path: string,
  expected: Presentation
): Effect.Effect<PresentationOutput, never, FileSystem.FileSystem> =>
  Effect.map(OutputDirectory.make(path, "hls"), (directory) => {
    const { hasAudio, hasVideo } = expected
    const codecsOf: HlsMedia["codecsOf"] = ({ prefix }) =>
      Effect.map(directory.head(StreamFiles.segment(prefix, 0), headBytes), (head) =>
        [hasVideo ? TransportStream.videoCodec(head) : undefined, hasAudio ? audioCodec : undefined].filter(
          (codec) => codec !== undefined
        )
      )
    const finishCaptions: CaptionOutput.Finish = (duration) => CaptionOutput.finish(directory, expected, duration)
    // Audio that is copied is there, but may begin late.
    const mayBeSilent = hasVideo && hasAudio && expected.isCopy !== true
    const isAudible = mayBeSilent ? findAudio(directory, expected) : Effect.succeed(true)
    return over({ directory, codecsOf, finishCaptions, isAudible }, expected)
  })

/** Makes the output of media playlists and segments, wherever they are. */
export const over = (
  { codecsOf, directory, finishCaptions, isAudible }: HlsMedia,
  expected: Presentation
): PresentationOutput => {
  const all = StreamFiles.hlsRenditions(expected)
  const otherAudio = StreamFiles.hlsAudio(expected)
  const hasMultivariant = StreamFiles.hasMultivariant(expected)
  /** Texts of the playlists, by name. */
  const texts = new Map<string, string>()
  let codecs: ReadonlyArray<ReadonlyArray<string>> | undefined

  type Files = Pick<StreamFiles.HlsRendition, "playlist">
  const entriesOf = ({ playlist }: Files) => MediaPlaylist.entries(texts.get(playlist) ?? "")
  const hasSegments = (one: Files) => entriesOf(one).length > 0
  const isPlayable = () => all.every(hasSegments)

  const measure = (one: Files) =>
    Bitrates.measure(entriesOf(one).map(({ duration, uri }) => ({ duration, bytes: directory.sizeOf(uri) })))

  /** Returns the duration, average bitrate and peak bitrate of a rendition's segments. */
  const measureRates = (one: StreamFiles.HlsRendition) => {
    const { average, duration, peak } = measure(one)
    return { duration, rendition: { ...one.rendition, bitrate: average }, peakBitrate: peak }
  }

  type Rates = (
    one: StreamFiles.HlsRendition,
    group: MultivariantPlaylist.AudioGroup
  ) => Pick<MultivariantPlaylist.Variant, "rendition" | "peakBitrate">

  /** Other audio is loaded beside the segments with the default (RFC 8216, section 4.3.4.2). */
  const withOtherAudio: Rates = (one, group) => {
    const { peakBitrate, rendition } = measureRates(one)
    const others = otherAudio.filter(({ playlist }) => group.audio.some(({ uri }) => uri === playlist)).map(measure)
    const [average, peak] = [others.map((each) => each.average), others.map((each) => each.peak)]
    return {
      rendition: { ...rendition, bitrate: rendition.bitrate + Math.max(0, ...average) },
      peakBitrate: peakBitrate + Math.max(0, ...peak)
    }
  }

  const expectedRates: Rates = ({ rendition }) => ({ rendition, peakBitrate: rendition.bitrate })

  /** Writes the multivariant playlist. Returns its event. */
  const writeMultivariant = (rates: Rates, captions: ReadonlyArray<StreamFiles.CaptionFiles>) =>
    Effect.gen(function* () {
      codecs ??= yield* Effect.forEach(all, codecsOf)
      const found = codecs
      const name = StreamFiles.entry("hls")
      const [defaultAudio] = expected.audio ?? []
      const audio = defaultAudio === undefined ? [] : [{ rendition: defaultAudio, uri: undefined }]
      const others = otherAudio.filter(hasSegments).map(({ playlist, rendition }) => ({ rendition, uri: playlist }))
      const variants = MultivariantPlaylist.audioGroups([...audio, ...others]).flatMap((group) =>
        MultivariantPlaylist.startFirst(
          all.map((one, index) => ({
            ...rates(one, group),
            uri: one.playlist,
            codecs: MultivariantPlaylist.codecsBeside(
              found[index] ?? [],
              group.codec === undefined ? [] : [group.codec]
            ),
            audio: group
          }))
        )
      )
      const text = MultivariantPlaylist.render(variants, captions)
      texts.set(name, text)
      yield* directory.write(name, text)
      return Events.PlaylistUpdated({ name, text })
    })

  /** Reads the playlists before the directory, so that all segments that they list are found there. */
  const takeEvents = Effect.gen(function* () {
    if (!(yield* isAudible)) return []
    const updated: Array<ConversionEvent> = []
    for (const { playlist: name } of [...all, ...otherAudio]) {
      const written = yield* directory.read(name)
      if (written === undefined) continue
      const text = MediaPlaylist.withTarget(written, segmentSeconds)
      if (text === texts.get(name)) continue
      texts.set(name, text)
      updated.push(Events.PlaylistUpdated({ name, text }))
    }
    const segments = (yield* directory.newSegments).map((name) => Events.SegmentFinished({ name }))
    const events: ReadonlyArray<ConversionEvent> = [...segments, ...updated]
    const isMultivariantDue =
      hasMultivariant &&
      !texts.has(StreamFiles.entry("hls")) &&
      isPlayable() &&
      // Players read this playlist once.
      otherAudio.every(hasSegments)
    return isMultivariantDue ? [...events, yield* writeMultivariant(expectedRates, [])] : events
  })

  const finish = Effect.gen(function* () {
    const events = yield* takeEvents
    if (!isPlayable()) return { events, presentation: undefined }
    for (const { playlist } of [...all, ...otherAudio]) {
      const text = texts.get(playlist)
      if (text !== undefined) yield* directory.write(playlist, text)
    }
    codecs ??= yield* Effect.forEach(all, codecsOf)
    const found = codecs
    const results = Arr.map(all, (one, index) => ({ ...measureRates(one), codecs: found[index] ?? [] }))
    const audio = expected.audio?.filter(({ name }, index) => {
      const files = otherAudio.find(({ rendition }) => rendition.name === name)
      return index === 0 || (files !== undefined && hasSegments(files))
    })
    const { duration } = Arr.headNonEmpty(results)
    const captions = yield* finishCaptions(duration)
    const presentation: Presentation = {
      ...captions.presentation,
      ...(audio === undefined ? undefined : { audio }),
      duration,
      renditions: Arr.map(results, ({ codecs: names, peakBitrate, rendition }) => ({
        ...rendition,
        peakBitrate,
        codecs: names
      }))
    }
    if (!hasMultivariant) return { events, presentation }
    const multivariant = yield* writeMultivariant(withOtherAudio, StreamFiles.captionFiles(presentation))
    return { events: [...events, ...captions.events, multivariant], presentation }
  })

  return { measureBytes: directory.measureBytes, takeEvents, finish }
}
