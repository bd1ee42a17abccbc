import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as FastCheck from "fast-check"
import { expect } from "vitest"
import { PackagingError } from "../../src/packaging/PackagingError.ts"
import type { AudioTrack, SourceIndex, VideoTrack } from "../../src/packaging/SourceIndex.ts"
import * as SourceReader from "../../src/packaging/SourceReader.ts"
import * as EditBoxes from "./support/EditBoxes.ts"
import * as Media from "./support/Media.ts"
import * as Sources from "./support/Sources.ts"

const it = Requires.requires(Media.missing)

const read = (bytes: Uint8Array) => SourceReader.read(Sources.make(bytes))

/** Returns the samples of a track as ffprobe prints them, without decoding times if `isMoved`. */
const toPackets = ({ pause, samples, start }: VideoTrack | AudioTrack, isMoved: boolean) =>
  Array.from({ length: samples.count }, (_, index) => {
    const time = (samples.times[index] ?? NaN) - start + pause
    return {
      dts: isMoved ? undefined : time,
      pts: time + (samples.delays[index] ?? NaN),
      size: String(samples.sizes[index]),
      pos: String(samples.offsets[index]),
      isSync: samples.syncs[index] === 1
    }
  })

const expectSame = (tracks: ReadonlyArray<VideoTrack | AudioTrack>, packets: ReadonlyArray<Media.Packet>) => {
  // FFmpeg moves decoding times until no sample is shown before it is decoded.
  const isMoved = tracks.some(({ samples }) => samples.delays.some((delay) => delay < 0))
  const actual = tracks.flatMap((track) => toPackets(track, isMoved))
  const expected = packets.map(({ dts, flags, pos, pts, size }) => ({
    dts: isMoved ? undefined : dts,
    pts,
    size,
    pos,
    isSync: flags.startsWith("K")
  }))
  expect(actual).toEqual(expected)
}

const files: ReadonlyArray<Media.Name> = [
  "plain.mp4",
  "first.mp4",
  "quicktime.mov",
  "fragments.mp4",
  "late-fragments.mp4",
  "signed.mp4",
  "later-sound.mp4",
  "hevc.mp4",
  "silent.mp4",
  "sound.m4a",
  "uneven.mp4"
]

for (const name of files) {
  it.effect(`read: ${name} → the samples that ffprobe reports`, () =>
    Effect.gen(function* () {
      const { audio, others, video } = yield* read(Media.load(name))
      const path = Media.path(name)
      expectSame(video, Media.packets(path, "video"))
      expectSame(audio, Media.packets(path, "audio"))
      expect(others).toEqual([])
    })
  )
}

it.effect(
  "read: fragments of one frame with negative delays → times and sizes of the same frames without fragments",
  () =>
    Effect.gen(function* () {
      // FFmpeg reads such a file with all its frames later than the file says.
      const [fragments, plain] = yield* Effect.forEach(["cmaf.mp4", "plain.mp4"] as const, (name) =>
        Effect.map(read(Media.load(name)), ({ video }) =>
          video.flatMap((track) => toPackets(track, true).map(({ isSync, pts, size }) => ({ isSync, pts, size })))
        )
      )
      expect(fragments).toEqual(plain)
    })
)

it.effect("read: offsets of 64 bits → the same index", () =>
  Effect.gen(function* () {
    const bytes = Media.load("plain.mp4")
    const edited = EditBoxes.widenOffsets(bytes)
    expect(edited.length).toBeGreaterThan(bytes.length)
    expect(yield* read(edited)).toEqual(yield* read(bytes))
  })
)

it.effect(
  "read: samples behind the first 4 GiB, and times beyond 32 bits → offsets and times as the tables state them",
  () =>
    Effect.gen(function* () {
      const bytes = Media.load("first.mp4")
      const shift = 5 * 1024 ** 3
      const source = Sources.make(EditBoxes.widenOffsets(bytes, shift))
      const far = yield* SourceReader.read({ ...source, size: source.size + shift })
      const near = yield* read(bytes)
      const offsetsOf = ({ audio, video }: SourceIndex) =>
        [...video, ...audio].map(({ samples }) => Array.from(samples.offsets))
      expect(offsetsOf(far)).toEqual(offsetsOf(near).map((offsets) => offsets.map((offset) => offset + shift)))

      const duration = 2 ** 30
      const long = replace(bytes, "stts", (body) => {
        const edited = Buffer.from(body)
        for (let entry = 0; entry < edited.readUInt32BE(4); entry++) edited.writeUInt32BE(duration, 12 + 8 * entry)
        return edited
      })
      for (const { samples } of (yield* read(long)).video) {
        expect(samples.count).toBeGreaterThan(8)
        expect(Array.from(samples.times)).toEqual(Array.from({ length: samples.count }, (_, index) => index * duration))
        expect(samples.end).toBe(samples.count * duration)
      }
    })
)

it.effect("read: file → format and codecs of its tracks", () =>
  Effect.gen(function* () {
    const { audio, video } = yield* read(Media.load("plain.mp4"))
    expect(video).toMatchObject([
      { codec: { _tag: "Avc", lengthBytes: 4 }, width: 192, height: 108, pixelRatio: [1, 1], isUpright: true }
    ])
    expect(video[0]?.codec.name).toMatch(/^avc1\.64[\da-f]{4}$/)
    const codec = { _tag: "Aac", name: "mp4a.40.2", frequencyIndex: 3, channelConfiguration: 1 }
    expect(audio).toMatchObject([{ codec, channels: 1, sampleRate: 48_000 }])
    const { video: other } = yield* read(Media.load("hevc.mp4"))
    expect(other[0]?.codec.name).toBe("hvc1.1.6.L30.90")
  })
)

it.effect("read: index at the end of a file → few small reads", () =>
  Effect.gen(function* () {
    const bytes = Media.load("large.mp4")
    const source = Sources.make(bytes)
    yield* SourceReader.read(source)
    expect(source.reads()).toBeLessThanOrEqual(3)
    expect(source.bytesRead()).toBeLessThan(bytes.length / 10)
  })
)

it.effect(
  "read: large fragments, into memory that is used again → one small read of each, and the tracks as they were",
  () =>
    Effect.gen(function* () {
      const bytes = Media.load("large-fragments.mp4")
      const source = Sources.make(bytes, true)
      const index = yield* SourceReader.read(source)
      // One of two seconds each: the first two are read with as much as the tracks are.
      expect(source.reads()).toBeLessThanOrEqual(10)
      expect(source.bytesRead()).toBeLessThan(3 * 64 * 1024 + 7 * 8192)
      expect(index).toEqual(yield* SourceReader.read(Sources.make(bytes)))
    })
)

const fault = (bytes: Uint8Array) => Effect.map(Effect.flip(read(bytes)), ({ detail, reason }) => ({ detail, reason }))

it.effect("read: file that is no right MP4 → its reason", () =>
  Effect.gen(function* () {
    const plain = Media.load("plain.mp4")
    expect(yield* fault(Media.load("encrypted.mp4"))).toMatchObject({ reason: "Encrypted" })
    expect(yield* fault(plain.subarray(0, plain.length / 2))).toMatchObject({ reason: "Malformed" })
    const first = Media.load("first.mp4")
    expect(yield* fault(first.subarray(0, first.length - 1))).toEqual({
      reason: "Malformed",
      detail: "The file is cut off: samples are after its end."
    })
    expect(yield* fault(new TextEncoder().encode("No video at all, but text."))).toMatchObject({
      reason: "Unsupported"
    })
    expect(yield* fault(new Uint8Array())).toMatchObject({ reason: "Malformed" })
  })
)

/** Returns the bytes with the 32 bits at `at` after the type of a box replaced. */
const declare = (bytes: Uint8Array, type: string, at: number, value: number): Uint8Array => {
  const edited = Buffer.from(bytes)
  edited.writeUInt32BE(value, edited.indexOf(type) + 4 + at)
  return edited
}

it.effect("read: counts and sizes beyond the file → refused before memory is allocated", () =>
  Effect.gen(function* () {
    const plain = Media.load("short.mp4")
    const huge = 0xffff_ffff
    for (const [type, at] of [
      ["stsz", 8],
      ["stts", 4],
      ["ctts", 4],
      ["stss", 4],
      ["stsc", 4],
      ["stco", 4],
      ["elst", 4]
    ] as const) {
      expect(yield* fault(declare(plain, type, at, huge)), type).toMatchObject({ reason: "Malformed" })
    }
    // All samples have one size, so that the table has no entries.
    const fixed = declare(declare(plain, "stsz", 8, huge), "stsz", 4, 1)
    expect(yield* fault(fixed)).toMatchObject({ reason: "LimitExceeded" })
    expect(yield* fault(declare(declare(plain, "stsz", 8, 1_400_000), "stsz", 4, 1))).toMatchObject({
      reason: "Malformed"
    })
    const runs = declare(Media.load("short-fragments.mp4"), "trun", 4, huge)
    expect(yield* fault(runs)).toMatchObject({ reason: "Malformed" })
  })
)

/** Returns a file in which the boxes of a type have another body. The tables must be at the end of the file. */
const replace = (bytes: Uint8Array, type: string, toBody: (body: Buffer) => Buffer): Uint8Array =>
  EditBoxes.edit(Buffer.from(bytes), (found, body) => (found === type ? EditBoxes.box(type, toBody(body)) : undefined))

it.effect("read: boxes, descriptors or samples without end → refused", () =>
  Effect.gen(function* () {
    const plain = Media.load("short.mp4")
    const free = EditBoxes.box("free", Buffer.alloc(0))
    const many = Buffer.concat(Array.from({ length: 2000 }, () => free))
    for (const [type, at] of [
      ["trak", 0],
      ["minf", 0],
      ["stbl", 0],
      ["stsd", 8]
    ] as const) {
      const stuffed = replace(plain, type, (body) => Buffer.concat([body.subarray(0, at), many, body.subarray(at)]))
      expect(yield* fault(stuffed), type).toEqual({
        reason: "LimitExceeded",
        detail: "A box of the file contains too many others."
      })
    }
    const fragments = replace(Media.load("short-fragments.mp4"), "moof", () => many)
    expect(yield* fault(fragments)).toMatchObject({ reason: "LimitExceeded" })
    const descriptors = replace(plain, "stsd", (body) =>
      body.includes("mp4a")
        ? Buffer.concat([
            body.subarray(0, 8),
            EditBoxes.box("mp4a", Buffer.concat([body.subarray(16, 44), EditBoxes.box("esds", Buffer.alloc(20_000))]))
          ])
        : body
    )
    expect(yield* fault(descriptors)).toEqual({
      reason: "LimitExceeded",
      detail: "The parameters of the audio are too large."
    })
    // Every sample has the same bytes of the file.
    const sizes = replace(plain, "stsz", (body) => {
      const edited = Buffer.from(body)
      for (let at = 12; at < edited.length; at += 4) edited.writeUInt32BE(plain.length >> 1, at)
      return edited
    })
    expect(yield* fault(sizes)).toEqual({ reason: "Malformed", detail: "The samples are larger than the file." })
  })
)

/** Where the boxes with the index of a file begin and end. */
const indexArea = (bytes: Buffer, type: string): readonly [number, number] => {
  const at = bytes.indexOf(type) - 4
  return [at, at + bytes.readUInt32BE(at)]
}

for (const [name, box] of [
  ["short.mp4", "moov"],
  ["short-fragments.mp4", "moov"],
  ["short-fragments.mp4", "moof"]
] as const) {
  it.effect(`read: mutated ${box} of ${name} → an index within the file, or a PackagingError`, () =>
    Effect.gen(function* () {
      const bytes = Buffer.from(Media.load(name))
      const [start, end] = indexArea(bytes, box)
      const mutation = FastCheck.record({
        at: FastCheck.integer({ min: start, max: end - 4 }),
        value: FastCheck.oneof(
          FastCheck.integer({ min: 0, max: 0xffff_ffff }),
          FastCheck.constantFrom(0, 1, 2, 7, 8, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff)
        ),
        bytes: FastCheck.constantFrom(1, 2, 4)
      })
      const samples = FastCheck.sample(FastCheck.array(mutation, { minLength: 1, maxLength: 4 }), { numRuns: 400 })
      for (const mutations of samples) {
        const mutated = Buffer.from(bytes)
        for (const { at, bytes: count, value } of mutations) mutated.writeUIntBE(value % 2 ** (8 * count), at, count)
        const source = Sources.make(mutated)
        const result = yield* Effect.result(SourceReader.read(source))
        expect(source.reads()).toBeLessThan(100)
        if (result._tag === "Failure") {
          expect(result.failure).toBeInstanceOf(PackagingError)
          continue
        }
        for (const { samples } of [...result.success.video, ...result.success.audio]) {
          for (let index = 0; index < samples.count; index++) {
            expect((samples.offsets[index] ?? NaN) + (samples.sizes[index] ?? NaN)).toBeLessThanOrEqual(mutated.length)
          }
        }
      }
    })
  )
}
