import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as MadeSegments from "../../src/playback/internal/MadeSegments.ts"

const bytes = new Uint8Array(1000).map((_, index) => index % 251)

/** A segment in chunks of 100 bytes, which ends behind the bytes that are wanted, and counts how often it has ended by itself. */
const makeSegment = () => {
  const counted = { ends: 0 }
  const cut: MadeSegments.Made["cut"] = ({ end = bytes.length }) => {
    const starts = Array.from({ length: Math.ceil(Math.max(end, 101) / 100) }, (_, index) => 100 * index)
    const chunks = Stream.fromArray(starts.map((start) => bytes.subarray(start, start + 100)))
    const ended = Stream.suspend(() => {
      counted.ends++
      return Stream.empty
    })
    return Stream.concat(chunks, ended)
  }
  return { counted, cut }
}

it.effect(
  "range of a segment: any → its bytes; what makes the segment ends by itself, so that its memory is used again",
  () =>
    Effect.gen(function* () {
      const { counted, cut } = makeSegment()
      const open = MadeSegments.make()
      const opened = yield* open({
        conversionId: "cnv_01900000-0000-7000-8000-000000000001",
        fileId: "fil_01900000-0000-7000-8000-000000000001",
        name: "index0.ts",
        state: "READY",
        source: "blb_01900000-0000-7000-8000-000000000001",
        version: 1,
        find: Effect.succeed({ size: bytes.length, cut }),
        check: Effect.void,
        reportDamage: Effect.void
      })
      let count = 0
      for (const [offset, length] of [
        [0, 10],
        [0, 100],
        [0, 101],
        [250, 300],
        [999, 1],
        [0, 1000]
      ] as const) {
        const read = opened?.readTransient?.({ offset, length }) ?? Stream.empty
        expect(Buffer.concat(yield* Stream.runCollect(read)).equals(bytes.subarray(offset, offset + length))).toBe(true)
        expect(counted.ends).toBe(++count)
      }
    })
)
