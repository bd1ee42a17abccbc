import { assert, describe, it } from "@effect/vitest"
import * as FileSignature from "@holdfast/core/files/FileSignature"
import type { Media } from "@holdfast/core/transcoding/Media"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { existsSync, writeFileSync } from "node:fs"
import { directory } from "../../src/transcoding/contract/Samples.ts"
import * as FakeMedia from "../../src/transcoding/FakeMedia.ts"
import * as FakeTranscoder from "../../src/transcoding/FakeTranscoder.ts"
import * as TranscoderContract from "../../src/transcoding/TranscoderContract.ts"

const samples = Effect.gen(function* () {
  const path = yield* directory
  const write = (name: string, media: Media, cutAfter?: number) => {
    writeFileSync(`${path}/${name}`, FakeMedia.make(media, cutAfter))
    return `${path}/${name}`
  }
  return {
    playable: write("playable", FakeMedia.playable),
    foreign: write("foreign", FakeMedia.foreign),
    silent: write("silent", { ...FakeMedia.playable, audio: null }),
    audio: write("audio", { ...FakeMedia.playable, video: null }),
    cut: write("cut", FakeMedia.playable, 5)
  }
})

TranscoderContract.suite("FakeTranscoder", FakeTranscoder.layer, samples)

const prepared = Effect.gen(function* () {
  const { control, transcoder } = yield* FakeTranscoder.make
  const [path, output] = [yield* directory, yield* directory]
  writeFileSync(`${path}/input`, FakeMedia.make(FakeMedia.playable))
  const job = { input: `${path}/input`, media: FakeMedia.playable, output, format: "hls" } as const
  return { control, transcoder, output, job, convert: transcoder.convert(job) }
})

describe("FakeTranscoder", () => {
  it.effect("convert: pauseAt → pauses there until resumed", () =>
    Effect.gen(function* () {
      const { convert, output, control } = yield* prepared
      const pause = yield* control.pauseAt(0.5)
      const converting = yield* Effect.forkChild(Stream.runDrain(convert))
      yield* pause.reached
      assert.strictEqual(yield* control.running, 1)
      assert.isTrue(existsSync(`${output}/index0.ts`))
      assert.isFalse(existsSync(`${output}/index2.ts`))
      yield* pause.resume
      yield* Fiber.join(converting)
      assert.isTrue(existsSync(`${output}/index2.ts`))
      assert.strictEqual(yield* control.running, 0)
    })
  )

  it.effect("convert: interrupted → no longer counted as running", () =>
    Effect.gen(function* () {
      const { control, convert } = yield* prepared
      const pause = yield* control.pauseAt(0)
      const converting = yield* Effect.forkChild(Stream.runDrain(convert))
      yield* pause.reached
      yield* Fiber.interrupt(converting)
      assert.strictEqual(yield* control.running, 0)
    })
  )

  it.effect("convert: failAt → fails there with the given error, until cleared", () =>
    Effect.gen(function* () {
      const { control, convert } = yield* prepared
      yield* control.failAt(1, "StorageFull", "Nothing is left.")
      const error = yield* Effect.flip(Stream.runDrain(convert))
      assert.strictEqual(error.reason, "StorageFull")
      assert.include(error.message, "Nothing is left.")
      yield* control.clear
      yield* Stream.runDrain(convert)
      assert.strictEqual(yield* control.calls("convert"), 2)
    })
  )

  it.effect("setAvailable and fail: methods → fail as instructed", () =>
    Effect.gen(function* () {
      const { control, convert, job, transcoder } = yield* prepared
      yield* control.setAvailable(false)
      assert.strictEqual((yield* Effect.flip(transcoder.check)).code, "transcoder_unavailable")
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(convert))).reason, "Unavailable")
      yield* control.setAvailable(true)
      yield* control.fail("probe", "Internal")
      assert.strictEqual((yield* Effect.flip(transcoder.probe(job))).code, "internal")
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(transcoder.check)))
    })
  )

  it("content of FakeMedia → detected as video, and parsed", () => {
    const content = FakeMedia.make(FakeMedia.foreign, 3)
    assert.strictEqual(FileSignature.detect(content, "anything").type, "VIDEO")
    assert.deepStrictEqual(FakeMedia.parse(content), Option.some({ media: FakeMedia.foreign, cutAfter: 3 }))
  })
})
