import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import * as KeptSegments from "../../src/playback/internal/KeptSegments.ts"

const mebibyte = 1024 * 1024

const content = (size: number, seed = 0) => new Uint8Array(size).map((_, index) => (index + seed) % 251)

/** A segment that counts how often it is made. */
const makeSegment = (bytes: Uint8Array) => {
  const counted = { made: 0 }
  const cut = () =>
    Stream.suspend(() => {
      counted.made++
      return Stream.make(bytes.subarray(0, 10), bytes.subarray(10, 700_001), bytes.subarray(700_001))
    })
  const rest = ({ length, offset }: { readonly length: number; readonly offset: number }) =>
    Stream.make(bytes.subarray(offset, offset + length))
  return { counted, cut, rest }
}

const collect = <E>(chunks: Stream.Stream<Uint8Array, E>) =>
  Effect.map(Stream.runCollect(chunks), (all) => Buffer.concat(all))

it.effect("segment: second request → made once and kept; each range → its bytes", () =>
  Effect.gen(function* () {
    const segments = KeptSegments.make()
    const bytes = content(1_200_000)
    const { counted, cut, rest } = makeSegment(bytes)
    for (const isKept of [false, true, true, true]) {
      expect(yield* segments.request("a", bytes.length, cut)).toBe(isKept)
    }
    expect(counted.made).toBe(1)
    expect([segments.sizeOf("a"), segments.sizeOf("b")]).toEqual([bytes.length, undefined])
    for (const [offset, length] of [
      [0, bytes.length],
      [262_143, 2],
      [500_000, 700_000],
      [10, 0]
    ] as const) {
      const read = yield* collect(segments.read("a", { offset, length }, () => Stream.die("not read from elsewhere")))
      expect(read.equals(bytes.subarray(offset, offset + length))).toBe(true)
    }
    expect(yield* collect(segments.read("b", { offset: 5, length: 7 }, rest))).toEqual(
      Buffer.from(bytes.subarray(5, 12))
    )
  })
)

it.effect(
  "segment: requested many times while it is made → made once; the first one that waits is interrupted → kept",
  () =>
    Effect.gen(function* () {
      const segments = KeptSegments.make()
      const bytes = content(1_200_000)
      const { counted, cut } = makeSegment(bytes)
      const begun = yield* Latch.make(false)
      const mayEnd = yield* Latch.make(false)
      const slow = () => Stream.concat(Stream.drain(Stream.fromEffect(Effect.andThen(begun.open, mayEnd.await))), cut())
      yield* segments.request("a", bytes.length, slow)
      const first = yield* Effect.forkChild(segments.request("a", bytes.length, slow))
      yield* begun.await
      const others = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 20 }), () => segments.request("a", bytes.length, slow), {
          concurrency: "unbounded"
        })
      )
      const interrupted = yield* Effect.forkChild(Fiber.interrupt(first))
      yield* mayEnd.open
      yield* Fiber.await(interrupted)
      expect(new Set(yield* Fiber.join(others))).toEqual(new Set([true]))
      expect(counted.made).toBe(1)
    })
)

it.effect("segment: cannot be made, or has another size → not kept", () =>
  Effect.gen(function* () {
    const segments = KeptSegments.make<string>()
    const failing = () => Stream.concat(Stream.make(new Uint8Array(10)), Stream.fail("damaged"))
    expect(yield* segments.request("a", 10, failing)).toBe(false)
    expect(yield* Effect.flip(segments.request("a", 10, failing))).toBe("damaged")
    for (const size of [9, 11]) {
      yield* segments.request(`${size}`, size, () => Stream.make(new Uint8Array(10)))
      expect(yield* segments.request(`${size}`, size, () => Stream.make(new Uint8Array(10)))).toBe(false)
    }
    expect(["a", "9", "11"].map(segments.sizeOf)).toEqual([undefined, undefined, undefined])
  })
)

it.effect(
  "segments: more than fit → forgotten in the order of use; a reader of one → gets the rest from elsewhere",
  () =>
    Effect.gen(function* () {
      const segments = KeptSegments.make()
      const bytes = content(4 * mebibyte, 1)
      const { cut, rest } = makeSegment(bytes)
      const keep = (key: string) => Effect.repeat(segments.request(key, bytes.length, cut), { times: 1 })
      yield* keep("first")
      const whole = { offset: 0, length: bytes.length }
      const read = segments.read("first", whole, rest).pipe(
        Stream.mapEffect((chunk, index) =>
          index === 0
            ? Effect.as(
                Effect.forEach(Array.from({ length: 9 }).keys(), (number) => keep(`next ${number}`)),
                chunk
              )
            : Effect.succeed(chunk)
        )
      )
      expect((yield* collect(read)).equals(bytes)).toBe(true)
      expect(segments.sizeOf("first")).toBeUndefined()
      const names = Array.from({ length: 9 }, (_, number) => `next ${number}`)
      expect(names.filter((name) => segments.sizeOf(name) !== undefined)).toEqual(names.slice(1))
      for (let count = 0; count < 3; count++) {
        expect(yield* segments.request("large", bytes.length + 1, cut)).toBe(false)
      }
    })
)

it.effect("segments: requested again after more than fits → not made to be kept; after less → kept", () =>
  Effect.gen(function* () {
    const segments = KeptSegments.make()
    const bytes = content(4 * mebibyte)
    const { counted, cut } = makeSegment(bytes)
    const requestAll = (count: number) =>
      Effect.forEach(Array.from({ length: count }).keys(), (number) => segments.request(`${number}`, bytes.length, cut))
    for (let round = 0; round < 3; round++) yield* requestAll(17)
    expect(counted.made).toBe(0)
    yield* requestAll(8)
    expect(yield* requestAll(8)).toEqual(Array.from({ length: 8 }, () => true))
    expect(counted.made).toBe(8)
  })
)

it.effect("segment: kept, memory is free → all of it at once", () =>
  Effect.gen(function* () {
    const segments = KeptSegments.make()
    const bytes = content(1_200_000)
    const { cut, rest } = makeSegment(bytes)
    yield* Effect.replicateEffect(segments.request("a", bytes.length, cut), 2)
    const pull = yield* Stream.toPull(segments.read("a", { offset: 262_140, length: 600_000 }, rest))
    expect(Buffer.concat(yield* pull).equals(bytes.subarray(262_140, 862_140))).toBe(true)
  }).pipe(Effect.scoped)
)

it.effect("slow readers: 80 with a block or more each → small copies for others, until they are gone", () =>
  Effect.gen(function* () {
    const segments = KeptSegments.make()
    const bytes = content(1_200_000)
    const { cut, rest } = makeSegment(bytes)
    yield* segments.request("a", bytes.length, cut)
    yield* segments.request("a", bytes.length, cut)
    const read = segments.read("a", { offset: 0, length: bytes.length }, rest)
    const longest = Effect.map(Stream.runCollect(read), (all) => {
      expect(Buffer.concat(all).equals(bytes)).toBe(true)
      return Math.max(...all.map(({ length }) => length))
    })
    expect(yield* longest).toBe(mebibyte / 4)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const pulls = yield* Effect.replicateEffect(Stream.toPull(read), 80)
        yield* Effect.forEach(pulls, (pull) => pull)
        expect(yield* longest).toBe(16 * 1024)
      })
    )
    expect(yield* longest).toBe(mebibyte / 4)
  })
)
