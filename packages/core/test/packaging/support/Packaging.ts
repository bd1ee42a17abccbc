/**
 * Segments of files, in memory.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Avc } from "../../../src/packaging/Codec.ts"
import * as FragmentedMp4 from "../../../src/packaging/FragmentedMp4.ts"
import type { Samples } from "../../../src/packaging/Samples.ts"
import * as SegmentPlan from "../../../src/packaging/SegmentPlan.ts"
import type { VideoTrack } from "../../../src/packaging/SourceIndex.ts"
import * as SourceReader from "../../../src/packaging/SourceReader.ts"
import * as TransportStream from "../../../src/packaging/TransportStream.ts"
import * as Sources from "./Sources.ts"

/** Makes a video of keyframes whose times are seconds. */
export const video = (
  times: ReadonlyArray<number>,
  options: { delays?: ReadonlyArray<number>; pause?: number } = {}
): VideoTrack => {
  const count = times.length
  const samples: Samples = {
    count,
    offsets: Float64Array.from(times, (_, index) => index),
    sizes: new Uint32Array(count).fill(1),
    times: Float64Array.from(times),
    delays: Int32Array.from(times, (_, index) => options.delays?.[index] ?? 0),
    syncs: new Uint8Array(count).fill(1),
    end: (times.at(-1) ?? 0) + 1,
    isPlain: false,
    isOrdered: false
  }
  const parameters = { record: new Uint8Array(), lengthBytes: 4, sequenceParameters: [], pictureParameters: [] }
  return {
    codec: Avc({ name: "avc1.64001f", ...parameters }),
    language: null,
    timeScale: 1,
    start: 0,
    pause: options.pause ?? 0,
    shown: null,
    samples,
    width: 16,
    height: 16,
    pixelRatio: [1, 1],
    isUpright: true,
    color: null
  }
}

/** Plans the segments of a file with its first video and all its audio. */
export const plan = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const source = Sources.make(bytes)
  const index = yield* SourceReader.read(source)
  return { source, plan: yield* SegmentPlan.make(index.video[0] ?? null, index.audio) }
})

const collect = <E>(stream: Stream.Stream<Uint8Array, E>) =>
  Effect.map(Stream.runCollect(stream), (chunks) => new Uint8Array(Buffer.concat(chunks)))

/** Cuts a file to segments of MPEG-TS. */
export const toTransportStream = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const { plan: planned, source } = yield* plan(bytes)
  const stream = yield* TransportStream.make(planned.count, planned.video, planned.audio[0] ?? null)
  const before = source.bytesRead()
  const segments = yield* Effect.forEach(Array.from({ length: planned.count }).keys(), (number) =>
    collect(TransportStream.segment(source, stream, number))
  )
  return { stream, segments, plan: planned, bytesRead: source.bytesRead() - before, longestRead: source.longestRead() }
})

/** Cuts each track of a file to fragmented MP4. */
export const toFragments = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const { plan: planned, source } = yield* plan(bytes)
  const tracks = [...(planned.video === null ? [] : [planned.video]), ...planned.audio]
  return yield* Effect.forEach(tracks, (track) =>
    Effect.gen(function* () {
      const { bytes: sampleBytes, times } = yield* FragmentedMp4.measure(track)
      const segments = yield* Effect.forEach(Array.from({ length: planned.count }).keys(), (number) =>
        collect(FragmentedMp4.segment(source, track, number))
      )
      return { track: track.track, init: FragmentedMp4.initialization(track.track), segments, sampleBytes, times }
    })
  )
})
