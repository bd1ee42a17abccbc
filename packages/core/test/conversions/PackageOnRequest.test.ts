import { expect } from "@effect/vitest"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { Conversions } from "@holdfast/core/conversions/Conversions"
import * as Requires from "@holdfast/testing/Requires"
import * as BlobFaults from "@holdfast/testing/storage/BlobFaults"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Media from "../packaging/support/Media.ts"
import { reached, record, startWorker, test, until, video } from "./support/Setup.ts"

/** Claims a conversion as a worker does that polls. Returns whether there was one. */
const poll = Effect.gen(function* () {
  const now = yield* DateTime.now
  return Option.isSome(yield* (yield* ConversionRepository).claim({ now, leaseUntil: now, sweepAt: now }))
})

Requires.requires(Media.missing).describe("packaging of a requested content", () => {
  test(
    "samples are read → no worker claims the conversion meanwhile; then it is READY",
    Effect.gen(function* () {
      const { actor, ref } = yield* video(Media.load("first.mp4"))
      const isReading = yield* Latch.make(false)
      const mayRead = yield* Latch.make(false)
      // The index of the file comes first, and is in the first read.
      const wait = Effect.andThen(isReading.open, mayRead.await)
      const faults = yield* BlobFaults.BlobFaults
      yield* faults.inject({ method: "read", action: BlobFaults.before(wait), calls: (nth) => nth > 1 })
      yield* (yield* Conversions).request(actor, ref, "hls")
      yield* isReading.await
      expect(yield* poll).toBe(false)
      expect(yield* record(actor, ref)).toMatchObject({ state: "RUNNING" })
      yield* mayRead.open
      yield* reached(actor, ref, "READY")
    })
  )

  test(
    "a read fails after the claim → the conversion is released, and a worker packages it",
    Effect.gen(function* () {
      const { actor, ref } = yield* video(Media.load("first.mp4"))
      const faults = yield* BlobFaults.BlobFaults
      yield* faults.inject({ method: "read", action: BlobFaults.fail("Unavailable"), calls: (nth) => nth > 1 })
      yield* (yield* Conversions).request(actor, ref, "hls")
      yield* until(faults.calls("read"), (count) => count > 1)
      yield* until(record(actor, ref), ({ state }) => state === "QUEUED")
      yield* faults.clear
      yield* startWorker()
      yield* reached(actor, ref, "READY")
    })
  )

  test(
    "tracks that no player supports → not claimed",
    Effect.gen(function* () {
      const { actor, ref } = yield* video(Media.load("hevc.mp4"))
      const faults = yield* BlobFaults.BlobFaults
      const reads = yield* faults.calls("read")
      yield* (yield* Conversions).request(actor, ref, "hls")
      yield* until(faults.calls("read"), (count) => count > reads)
      expect(yield* record(actor, ref)).toMatchObject({ state: "QUEUED" })
      expect(yield* poll).toBe(true)
    })
  )
})
