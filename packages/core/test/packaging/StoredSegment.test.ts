import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FastCheck from "fast-check"
import { expect } from "vitest"
import { PackagingError } from "../../src/packaging/PackagingError.ts"
import * as SourceReader from "../../src/packaging/SourceReader.ts"
import * as StoredSegment from "../../src/packaging/StoredSegment.ts"
import * as Media from "./support/Media.ts"
import * as Packets from "./support/Packets.ts"
import * as Sources from "./support/Sources.ts"

const it = Requires.requires(Media.missing)

interface Tracks {
  readonly video?: Media.Representation | undefined
  readonly audio?: Media.Representation | undefined
}

const stored = Effect.fnUntraced(function* (representation: Media.Representation | undefined, sequence: number) {
  if (representation === undefined) return undefined
  const init = yield* SourceReader.readInitialization(representation.init)
  const bytes = representation.segments[sequence]
  return { init, segment: bytes === undefined ? undefined : Sources.make(bytes) }
})

/** Makes all segments of MPEG-TS, and checks their sizes. */
const toTransport = Effect.fnUntraced(function* ({ audio, video }: Tracks) {
  const inits = [video, audio].flatMap((track) => (track === undefined ? [] : [track.init]))
  const delayOf = (init: Uint8Array) => Effect.flatMap(SourceReader.readInitialization(init), StoredSegment.delayOf)
  const delay = Math.max(...(yield* Effect.forEach(inits, delayOf)))
  const count = (video ?? audio)?.segments.length ?? 0
  const segments = yield* Effect.forEach(Array.from({ length: count }).keys(), (sequence) =>
    Effect.gen(function* () {
      const tracks = { video: yield* stored(video, sequence), audio: yield* stored(audio, sequence) }
      const { cut, end, size, start } = yield* StoredSegment.make({ ...tracks, delay, sequence })
      const bytes = new Uint8Array(Buffer.concat(yield* Stream.runCollect(cut())))
      expect(bytes.length).toBe(size)
      return { bytes, start, end }
    })
  )
  return { delay, segments, bytes: segments.map(({ bytes }) => bytes) }
})

const expectTimes = (segments: Uint8Array, path: string, kind: "video" | "audio", beginning: number): void => {
  const [actual, expected] = [Media.packets(segments, kind), Media.packets(path, kind)]
  expect(actual.length).toBe(expected.length)
  for (const [index, { dts_time, flags, pts_time }] of expected.entries()) {
    const packet = actual[index]
    expect(Number(packet?.pts_time) - beginning).toBeCloseTo(Number(pts_time), 3)
    expect(Number(packet?.dts_time) - beginning).toBeCloseTo(Number(dts_time), 3)
    expect(packet?.flags[0]).toBe(flags[0])
  }
}

const whole = (segments: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(segments))

const pictures = ["plain.mp4", "slow.mp4", "delimited.mp4", "early.mp4"] as const
const sounds = ["sound.m4a", "ac3.mp4", "eac3.mp4"] as const
const isSound = (name: string): boolean => sounds.some((sound) => sound === name)

for (const name of [...pictures, ...sounds]) {
  it.effect(`segments stored as fragmented MP4: ${name} → MPEG-TS with its frames, packets and times`, () =>
    Effect.gen(function* () {
      const [first, second] = Media.toDash(`-i {${name}}`, !isSound(name))
      const tracks = isSound(name) ? { audio: first } : { video: first, audio: second }
      const { bytes, delay, segments } = yield* toTransport(tracks)
      expect(segments.length).toBeGreaterThan(4)
      const path = Media.path(name)
      const isAac = !name.includes("ac3")
      expect(Media.decode(whole(bytes), isAac)).toEqual(Media.decode(path, isAac))
      expectTimes(whole(bytes), path, "video", 1.4 + delay)
      expectTimes(whole(bytes), path, "audio", 1.4 + delay)
      Packets.expectContinuity(bytes)
      Packets.expectClocks(bytes)
      for (const [index, { start }] of segments.slice(1).entries()) {
        expect(start).toBeCloseTo(segments[index]?.end ?? NaN, 6)
      }
    })
  )
}

it.effect(
  "segments stored as fragmented MP4: one frame each second, without a delay → shown when they were, decoded 0.7 s before at the earliest",
  () =>
    Effect.gen(function* () {
      const [video] = Media.toDash("-i {early.mp4}")
      const segments = yield* Effect.forEach([0, 1], (sequence) =>
        Effect.gen(function* () {
          const tracks = { video: yield* stored(video, sequence), audio: undefined }
          const { cut } = yield* StoredSegment.make({ ...tracks, delay: 0, sequence })
          return new Uint8Array(Buffer.concat(yield* Stream.runCollect(cut())))
        })
      )
      const [actual, expected] = [
        Media.packets(whole(segments), "video"),
        Media.packets(Media.path("early.mp4"), "video")
      ]
      expect(actual.length).toBeGreaterThan(4)
      let previous = -Infinity
      for (const [index, { dts_time, pts_time }] of actual.entries()) {
        expect(Number(pts_time) - 1.4).toBeCloseTo(Number(expected[index]?.pts_time), 3)
        expect(Number(dts_time)).toBeGreaterThan(Math.max(previous, 0.69))
        expect(Number(dts_time)).toBeLessThanOrEqual(Number(pts_time))
        previous = Number(dts_time)
      }
    })
)

it.effect(
  "segments stored as fragmented MP4: each alone → begins with a keyframe and its parameters, and decodes",
  () =>
    Effect.gen(function* () {
      const [video, audio] = Media.toDash("-i {plain.mp4}")
      const { bytes } = yield* toTransport({ video, audio })
      const parts = bytes.map((segment) => Media.decode(segment))
      const expected = Media.decode(Media.path("plain.mp4"))
      expect(parts.flatMap((part) => part.video)).toEqual(expected.video)
      expect(parts.flatMap((part) => part.audio)).toEqual(expected.audio)
    })
)

it.effect(
  "segments stored as fragmented MP4: audio ends early → the last ones have video alone, in a stream with both",
  () =>
    Effect.gen(function* () {
      const [video, audio] = Media.toDash("-i {plain.mp4} -t 4 -i {plain.mp4} -map 0:v -map 1:a")
      expect(audio?.segments.length).toBeLessThan(video?.segments.length ?? 0)
      const { bytes } = yield* toTransport({ video, audio })
      expect(Media.decode(whole(bytes)).video).toEqual(Media.decode(Media.path("plain.mp4")).video)
      expect(Packets.expectContinuity(bytes)).toBe(4)
    })
)

it.effect("segments stored as fragmented MP4: audio goes on for a minute → it is in the last segment", () =>
  Effect.gen(function* () {
    const [video, audio] = Media.toDash("-i {short.mp4} -stream_loop 5 -i {sound.m4a} -map 0:v -map 1:a")
    const { bytes } = yield* toTransport({ video, audio })
    expect(Media.packets(whole(bytes), "audio").length).toBeGreaterThan(2500)
    Packets.expectClocks(bytes)
  })
)

it.effect("segments stored as fragmented MP4: gap of two hours in a segment → not filled with clock references", () =>
  Effect.gen(function* () {
    const [video] = Media.toDash("-i {gap.mp4}")
    const { bytes } = yield* toTransport({ video })
    expect(whole(bytes).length).toBeLessThan(1.5 * Media.load("gap.mp4").length + 10_000 * bytes.length)
    expect(Media.packets(whole(bytes), "video").length).toBe(50)
  })
)

it.effect("segments stored as fragmented MP4: tracks in the wrong place → refused", () =>
  Effect.gen(function* () {
    const [video, audio] = Media.toDash("-i {short.mp4}")
    const make = Effect.fnUntraced(function* (tracks: Tracks) {
      const [video, audio] = [yield* stored(tracks.video, 0), yield* stored(tracks.audio, 0)]
      return yield* Effect.flip(StoredSegment.make({ video, audio, delay: 0, sequence: 0 }))
    })
    expect(yield* make({ video: audio })).toMatchObject({ reason: "Malformed" })
    expect(yield* make({ audio: video })).toMatchObject({ reason: "Malformed" })
    expect(yield* make({})).toMatchObject({ reason: "Malformed" })
  })
)

it.effect("segments stored as fragmented MP4: samples or tracks in the wrong file → refused", () =>
  Effect.gen(function* () {
    const [video] = Media.toDash("-i {short.mp4}")
    if (video === undefined) throw new Error("FFmpeg has written no presentation.")
    const withSamples = SourceReader.readInitialization(Media.load("short.mp4"))
    expect(yield* Effect.flip(withSamples)).toMatchObject({ detail: "An initialization segment has samples." })
    const described = { init: video.init, segments: [whole([video.init, ...video.segments.slice(0, 1)])] }
    const track = yield* stored(described, 0)
    const made = StoredSegment.make({ video: track, audio: undefined, delay: 0, sequence: 0 })
    expect(yield* Effect.flip(made)).toMatchObject({ detail: "A segment describes its tracks." })
  })
)

it.effect("segments stored as fragmented MP4: read → each stored segment is opened once, and closed", () =>
  Effect.gen(function* () {
    const [video, audio] = Media.toDash("-i {plain.mp4}")
    const changes: Array<string> = []
    const opening = (track: StoredSegment.StoredTrack<never> | undefined, name: string) => {
      const segment = track?.segment
      if (track === undefined || segment === undefined) throw new Error("FFmpeg has written no segment.")
      const opened = Effect.sync(() => {
        changes.push(`open ${name}`)
        return segment
      })
      const open = Effect.acquireRelease(opened, () => Effect.sync(() => changes.push(`close ${name}`)))
      return { ...track, segment: { ...segment, open } }
    }
    const tracks = {
      video: opening(yield* stored(video, 0), "video"),
      audio: opening(yield* stored(audio, 0), "audio")
    }
    const { cut, size } = yield* StoredSegment.make({ ...tracks, delay: 0, sequence: 0 })
    expect(Buffer.concat(yield* Stream.runCollect(cut())).length).toBe(size)
    expect(changes).toEqual(["open video", "open audio", "close audio", "close video"])
  })
)

it.effect("segments stored as fragmented MP4: mutated bytes → a segment of the planned size, or a PackagingError", () =>
  Effect.gen(function* () {
    const [video, audio] = Media.toDash("-i {short.mp4}")
    if (video === undefined || audio === undefined) throw new Error("FFmpeg has written no presentation.")
    const [picture = new Uint8Array(), sound = new Uint8Array()] = [video.segments[0], audio.segments[0]]
    const all = [video.init, picture, audio.init, sound]
    const mutation = FastCheck.record({
      file: FastCheck.nat(3),
      // Most of the structure is in the first bytes.
      at: FastCheck.nat(1200),
      value: FastCheck.constantFrom(0, 1, 0xff, 0x7fff_ffff, 0xffff_ffff)
    })
    const samples = FastCheck.sample(FastCheck.array(mutation, { minLength: 1, maxLength: 4 }), {
      numRuns: 400,
      seed: 7
    })
    let refused = 0
    for (const mutations of samples) {
      const files = all.map((bytes) => Buffer.from(bytes))
      for (const { at, file, value } of mutations) {
        const bytes = files[file]
        if (bytes !== undefined) bytes.writeUInt32BE(value, Math.min(at, bytes.length - 4))
      }
      const [videoInit, frames, audioInit, packets] = files.map((bytes) => new Uint8Array(bytes))
      const representation = (init?: Uint8Array, segment?: Uint8Array): Media.Representation => ({
        init: init ?? new Uint8Array(),
        segments: segment === undefined ? [] : [segment]
      })
      const tracks = { video: representation(videoInit, frames), audio: representation(audioInit, packets) }
      const result = yield* Effect.result(toTransport(tracks))
      if (result._tag === "Failure") {
        expect(result.failure).toBeInstanceOf(PackagingError)
        refused++
      }
    }
    expect(refused).toBeGreaterThan(50)
    expect(refused).toBeLessThan(samples.length)
  })
)
