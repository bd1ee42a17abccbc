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
  const { script, transcoder } = yield* FakeTranscoder.make
  const [path, output] = [yield* directory, yield* directory]
  writeFileSync(`${path}/input`, FakeMedia.make(FakeMedia.playable))
  const job = { input: `${path}/input`, media: FakeMedia.playable, output, format: "hls" } as const
  return { script, transcoder, output, job, convert: transcoder.convert(job) }
})

describe("FakeTranscoder", () => {
  it.effect("stops where the test says, and goes on when it says so", () =>
    Effect.gen(function* () {
      const { convert, output, script } = yield* prepared
      const hold = yield* script.pauseAt(0.5)
      const converting = yield* Effect.forkChild(Stream.runDrain(convert))
      yield* hold.reached
      assert.strictEqual(yield* script.running, 1)
      assert.isTrue(existsSync(`${output}/index0.ts`))
      assert.isFalse(existsSync(`${output}/index2.ts`))
      yield* hold.resume
      yield* Fiber.join(converting)
      assert.isTrue(existsSync(`${output}/index2.ts`))
      assert.strictEqual(yield* script.running, 0)
    })
  )

  it.effect("runs no more once it is interrupted", () =>
    Effect.gen(function* () {
      const { convert, script } = yield* prepared
      const hold = yield* script.pauseAt(0)
      const converting = yield* Effect.forkChild(Stream.runDrain(convert))
      yield* hold.reached
      yield* Fiber.interrupt(converting)
      assert.strictEqual(yield* script.running, 0)
    })
  )

  it.effect("fails where and how the test says", () =>
    Effect.gen(function* () {
      const { convert, script } = yield* prepared
      yield* script.failAt(1, "StorageFull", "Nothing is left.")
      const error = yield* Effect.flip(Stream.runDrain(convert))
      assert.strictEqual(error.reason, "StorageFull")
      assert.include(error.message, "Nothing is left.")
      yield* script.clear
      yield* Stream.runDrain(convert)
      assert.strictEqual(yield* script.calls("convert"), 2)
    })
  )

  it.effect("can be missing, or have a method that fails", () =>
    Effect.gen(function* () {
      const { convert, job, script, transcoder } = yield* prepared
      yield* script.setAvailable(false)
      assert.strictEqual((yield* Effect.flip(transcoder.check)).code, "transcoder_unavailable")
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(convert))).reason, "Unavailable")
      yield* script.setAvailable(true)
      yield* script.fail("probe", "Internal")
      assert.strictEqual((yield* Effect.flip(transcoder.probe(job))).code, "internal")
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(transcoder.check)))
    })
  )

  it("takes files that a detector takes for video", () => {
    const content = FakeMedia.make(FakeMedia.foreign, 3)
    assert.strictEqual(FileSignature.detect(content, "anything").type, "VIDEO")
    assert.deepStrictEqual(FakeMedia.parse(content), Option.some({ media: FakeMedia.foreign, cutAfter: 3 }))
  })
})
