import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { expect } from "vitest"
import * as FragmentedMp4 from "../../src/packaging/FragmentedMp4.ts"
import * as Memory from "../../src/packaging/internal/Memory.ts"
import type { PackagingError } from "../../src/packaging/PackagingError.ts"
import * as SegmentPlan from "../../src/packaging/SegmentPlan.ts"
import * as SourceReader from "../../src/packaging/SourceReader.ts"
import * as TransportStream from "../../src/packaging/TransportStream.ts"
import * as Media from "./support/Media.ts"
import * as Sources from "./support/Sources.ts"

const it = Requires.requires(Media.missing)

type Cut = (isTransient: boolean) => Stream.Stream<Uint8Array, PackagingError>

/** Returns what cuts each segment of a file, in both formats. */
const cutsOf = Effect.fnUntraced(function* (bytes: Uint8Array, canFill: boolean) {
  const source = Sources.make(bytes, canFill)
  const index = yield* SourceReader.read(source)
  const plan = yield* SegmentPlan.make(index.video[0] ?? null, index.audio)
  const stream = yield* TransportStream.make(plan.count, plan.video, plan.audio[0] ?? null)
  const tracks = [...(plan.video === null ? [] : [plan.video]), ...plan.audio]
  return Array.from({ length: plan.count }, (_, number): ReadonlyArray<Cut> => [
    (isTransient) => TransportStream.segment(source, stream, number, { isTransient }),
    ...tracks.map(
      (track): Cut =>
        (isTransient) =>
          FragmentedMp4.segment(source, track, number, { isTransient })
    )
  ]).flat()
})

/** Returns how many times chunks are pulled, and all their bytes. */
const pullsOf = (chunks: Stream.Stream<Uint8Array, PackagingError>) =>
  Stream.runFoldEffect(
    Stream.chunks(chunks),
    () => ({ pulls: 0, bytes: Buffer.of() }),
    ({ bytes, pulls }, together) =>
      Effect.sync(() => ({ pulls: pulls + 1, bytes: Buffer.concat([bytes, ...together]) }))
  )

/** Returns the memory that the next segment is made in. */
const nextMemory = Effect.acquireUseRelease(
  Effect.sync(() => Memory.open(true)),
  (blocks) =>
    Effect.sync(() => {
      const room = blocks.take()
      blocks.release(room)
      return room.bytes
    }),
  ({ close }) => Effect.sync(close)
)

/** Returns the longest chunk of a segment, in bytes. */
const longestChunk = (chunks: Stream.Stream<Uint8Array, PackagingError>) =>
  Stream.runFold(
    chunks,
    () => 0,
    (longest, { length }) => Math.max(longest, length)
  )

/** Collects a segment. Each chunk is copied after the other segments have had a turn. */
const collect = (chunks: Stream.Stream<Uint8Array, PackagingError>) =>
  Effect.map(
    Stream.runFold(
      Stream.mapEffect(chunks, (chunk) => Effect.as(Effect.yieldNow, chunk)),
      (): ReadonlyArray<Uint8Array> => [],
      (all, chunk) => [...all, chunk.slice()]
    ),
    (copies) => Buffer.concat(copies)
  )

for (const name of ["plain.mp4", "later-sound.mp4", "large.mp4"] as const) {
  for (const canFill of name === "large.mp4" ? [true] : [false, true]) {
    const memory = canFill ? "the memory of the segment" : "memory of its own"
    it.effect(`transient chunks: ${name} read into ${memory}, all segments in turns → the bytes of each`, () =>
      Effect.gen(function* () {
        const cuts = yield* cutsOf(Media.load(name), canFill)
        const expected = yield* Effect.forEach(cuts, (cut) => collect(cut(false)))
        const actual = yield* Effect.forEach(cuts, (cut) => collect(cut(true)), { concurrency: "unbounded" })
        expect(actual.every((bytes, index) => bytes.equals(expected[index] ?? Buffer.of()))).toBe(true)
        expect(expected.every(({ length }) => length > 0)).toBe(true)
        // The memory is used again: by a run that is given up, too.
        yield* Effect.forEach(cuts, (cut) => Stream.runHead(cut(true)), { concurrency: "unbounded" })
        const again = yield* Effect.forEach(cuts, (cut) => collect(cut(true)), { concurrency: 3 })
        expect(again.every((bytes, index) => bytes.equals(expected[index] ?? Buffer.of()))).toBe(true)
      })
    )
  }
}

it.effect("transient chunks: segment of less than 1 MiB → together, so that one write sends them", () =>
  Effect.gen(function* () {
    const cuts = yield* cutsOf(Media.load("later-sound.mp4"), true)
    for (const cut of cuts) {
      const { bytes, pulls } = yield* pullsOf(cut(true))
      expect(bytes.equals(yield* collect(cut(false)))).toBe(true)
      expect(pulls).toBe(1)
    }
  })
)

it.effect("part of a segment: its beginning → no more than is read at once, and the memory is used again", () =>
  Effect.gen(function* () {
    const source = Sources.make(Media.load("large.mp4"), true)
    const index = yield* SourceReader.read(source)
    const { count, video } = yield* SegmentPlan.make(index.video[0] ?? null, [])
    const stream = yield* TransportStream.make(count, video, null)
    const memory = yield* nextMemory
    const whole = yield* collect(TransportStream.segment(source, stream, 0, { isTransient: true }))
    const part = yield* collect(TransportStream.segment(source, stream, 0, { isTransient: true, end: 100 }))
    expect(part.length).toBeGreaterThanOrEqual(100)
    expect(part.length).toBeLessThan(whole.length)
    expect(part.equals(whole.subarray(0, part.length))).toBe(true)
    expect(yield* nextMemory).toBe(memory)
  })
)

it.effect(
  "slow readers: 40 with a chunk each → segments for others in small chunks, with the same bytes, until they are gone",
  () =>
    Effect.gen(function* () {
      const bytes = Media.load("large.mp4")
      const cuts = yield* cutsOf(bytes, true)
      const expected = yield* Effect.forEach(cuts, (cut) => collect(cut(true)))
      const [first] = cuts
      if (first === undefined) return yield* Effect.die("No segment.")
      const usual = yield* longestChunk(first(true))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const pulls = yield* Effect.replicateEffect(Stream.toPull(first(true)), 40)
          yield* Effect.forEach(pulls, (pull) => pull, { concurrency: "unbounded" })
          const actual = yield* Effect.forEach(cuts, (cut) => collect(cut(true)), { concurrency: "unbounded" })
          expect(actual.every((cut, index) => cut.equals(expected[index] ?? Buffer.of()))).toBe(true)
          expect(yield* longestChunk(first(true))).toBeLessThan(usual / 2)
        })
      )
      expect(yield* longestChunk(first(true))).toBe(usual)
    })
)
