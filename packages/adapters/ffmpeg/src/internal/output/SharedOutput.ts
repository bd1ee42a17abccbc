/**
 * The output of a shared presentation. ffmpeg writes that of DASH; the playlists of HLS list the segments that are made of its segments
 * when they are read (`StreamFiles`).
 */
import type { PackagingError } from "@holdfast/core/packaging/PackagingError"
import * as SharedTracks from "@holdfast/core/packaging/SharedTracks"
import type { Source } from "@holdfast/core/packaging/Source"
import type { StoredSegment } from "@holdfast/core/packaging/StoredSegment"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import type { TranscodeError } from "@holdfast/core/transcoding/TranscodeError"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as CaptionOutput from "./CaptionOutput.ts"
import * as ContinuedAudio from "./ContinuedAudio.ts"
import * as DashOutput from "./DashOutput.ts"
import * as HlsOutput from "./HlsOutput.ts"
import * as Manifest from "./Manifest.ts"
import * as MediaPlaylist from "./MediaPlaylist.ts"
import * as OutputDirectory from "./OutputDirectory.ts"
import type { PresentationOutput } from "./PresentationOutput.ts"

/** Bytes of an initialization segment, at most. */
const maxInitBytes = 64 * 1024

/** Seconds by which the muxer may end a segment of audio before that of the video. */
const slack = 0.2
/** Seconds by which audio may begin after a segment, such as for a gap. */
const lateStart = 0.3

/**
 * Whether the audio of a segment belongs to the next one: the muxer has counted a segment of audio less, because there was none for a
 * whole segment of video. It ends audio when the frame after it is decoded, `delay` seconds before that is shown.
 */
const isBehind = ({ audioStart, end, start }: StoredSegment<unknown>, delay: number): boolean =>
  audioStart !== undefined && audioStart > Math.max(start + lateStart, end - delay - slack)

/** The audio has a gap that is longer than a segment. */
export const audioGap = "audio gap"

/** Why the segments of audio and video do not belong together. */
export type Misalignment = typeof audioGap | PackagingError

/** A rendition of HLS with the segments that its playlist lists. */
interface Media {
  readonly rendition: StreamFiles.SharedRendition
  readonly playlist: string
  readonly segments: Array<{ readonly name: string; readonly duration: number }>
  codecs: ReadonlyArray<string>
}

/** Makes the output. A run whose segments of audio and video do not belong together fails with `misaligned`. */
export const make =
  (misaligned: (cause: Misalignment) => TranscodeError) =>
  (path: string, expected: Presentation): Effect.Effect<PresentationOutput, never, FileSystem.FileSystem> =>
    Effect.map(OutputDirectory.make(path, "dash"), (directory) => {
      const renditions = StreamFiles.sharedRenditions(expected)
      const playlists = [...StreamFiles.hlsRenditions(expected), ...StreamFiles.hlsAudio(expected)]
      const all = playlists.flatMap(({ playlist }, index): ReadonlyArray<Media> => {
        const rendition = renditions[index]
        return rendition === undefined ? [] : [{ rendition, playlist, segments: [], codecs: [] }]
      })
      const count = StreamFiles.dashRepresentations(expected)
      const finished = new Set<string>()
      /** Bytes of the segments of HLS. */
      const sizes = new Map<string, number>()
      /** What was not reported. */
      let fresh: Array<string> = []
      let tracks: SharedTracks.SharedTracks | undefined
      let isEnd = false

      /** Makes the tracks when each representation has a segment, or at the end those of the ones that have. */
      const makeTracks = Effect.gen(function* () {
        const ids = Array.from({ length: count }, (_, id) => id)
        const isThere = (id: number | null): boolean => id === null || finished.has(StreamFiles.chunk(id, 1))
        if (!(isEnd ? ids.some(isThere) : ids.every(isThere))) return undefined
        const inits = yield* Effect.forEach(ids, (id) =>
          isThere(id) ? directory.head(StreamFiles.init(id), maxInitBytes) : Effect.succeed(new Uint8Array())
        )
        const made = yield* SharedTracks.make(
          renditions.filter(({ audio, video }) => isThere(video) && isThere(audio)),
          inits
        )
        yield* directory.write(StreamFiles.tracks, SharedTracks.encode(made))
        fresh.push(StreamFiles.tracks)
        return made
      })

      const sourceOf = (name: string): Source<PlatformError> | undefined =>
        finished.has(name)
          ? { size: directory.sizeOf(name), readRange: (range) => directory.readRange(name, range) }
          : undefined

      /** Adds the segments to a playlist that have become complete. At the end, a segment may have no audio. */
      const addSegments = Effect.fnUntraced(function* (media: Media, found: SharedTracks.SharedTracks) {
        const { rendition, segments } = media
        for (;;) {
          const parts = StreamFiles.sharedParts(rendition, segments.length)
          if (!(isEnd ? finished.has(parts[0] ?? "") : parts.every((name) => finished.has(name)))) return
          const segment = yield* SharedTracks.toTransport(found, rendition, segments.length, sourceOf)
          if (isBehind(segment, found.delay)) return yield* misaligned(audioGap)
          const name = StreamFiles.segment(rendition.prefix, segments.length)
          segments.push({ name, duration: segment.end - segment.start })
          sizes.set(name, segment.size)
          media.codecs = segment.codecs
        }
      })

      const takeSegments = Effect.gen(function* () {
        for (const name of yield* directory.newSegments) {
          finished.add(name)
          fresh.push(name)
        }
        tracks ??= yield* makeTracks
      })

      const update = Effect.gen(function* () {
        yield* takeSegments
        for (const media of all) if (tracks !== undefined) yield* addSegments(media, tracks)
      }).pipe(Effect.catchTag("PackagingError", (cause) => Effect.fail(misaligned(cause))))

      /** Adds silence where audio ends before the video. */
      const continueAudio = Effect.gen(function* () {
        yield* takeSegments
        if (tracks === undefined) return
        const silences = yield* ContinuedAudio.write({ tracks, find: sourceOf, write: directory.write })
        const name = StreamFiles.entry("dash")
        const manifest = yield* directory.read(name)
        if (manifest === undefined) return
        const extended = [...silences].reduce((text, [id, seconds]) => Manifest.extend(text, id, seconds), manifest)
        if (extended !== manifest) yield* directory.write(name, extended)
      }).pipe(Effect.catchTag("PackagingError", (cause) => Effect.fail(misaligned(cause))))

      let captions: CaptionOutput.Finished | undefined
      /** Finishes the captions once, for both formats. */
      const finishCaptions: CaptionOutput.Finish = (duration) =>
        Effect.suspend(() => {
          if (captions !== undefined) return Effect.succeed({ ...captions, events: [] })
          return Effect.map(CaptionOutput.finish(directory, { ...expected, format: "hls" }, duration), (made) => {
            captions = { ...made, presentation: { ...made.presentation, format: expected.format } }
            return captions
          })
        })

      const hls = HlsOutput.over(
        {
          directory: {
            ...directory,
            newSegments: Effect.sync(() => {
              const names = fresh
              fresh = []
              return names
            }),
            read: (name) => {
              const media = all.find(({ playlist }) => playlist === name)
              if (media === undefined) return directory.read(name)
              const { segments } = media
              return Effect.sync(() => (segments.length === 0 ? undefined : MediaPlaylist.render(segments, isEnd)))
            },
            sizeOf: (name) => sizes.get(name) ?? 0
          },
          isAudible: Effect.sync(() => tracks !== undefined || isEnd),
          codecsOf: ({ playlist }) => Effect.sync(() => all.find((media) => media.playlist === playlist)?.codecs ?? []),
          finishCaptions
        },
        expected
      )
      // The segments were reported, and the captions are.
      const dash = DashOutput.over({ ...directory, newSegments: Effect.succeed([]) }, expected, finishCaptions)

      const finish = Effect.gen(function* () {
        isEnd = true
        yield* continueAudio
        yield* update
        const { events, presentation } = yield* hls.finish
        const others = yield* dash.finish
        if (presentation === undefined || others.presentation === undefined) return { events, presentation: undefined }
        const whole = [...events, ...others.events]
        if (expected.format === "hls") return { events: whole, presentation }
        // The segments of HLS take some more bytes, and their playlists end with the video.
        const { duration, renditions: measured } = others.presentation
        const renditions = Arr.map(presentation.renditions, (rendition, index) => ({
          ...rendition,
          bitrate: measured[index]?.bitrate ?? rendition.bitrate
        }))
        return { events: whole, presentation: { ...presentation, duration, renditions } }
      })

      return { measureBytes: directory.measureBytes, takeEvents: Effect.andThen(update, hls.takeEvents), finish }
    })
