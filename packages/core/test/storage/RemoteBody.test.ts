import { assert, describe, it } from "@effect/vitest"
import type { ByteRange } from "@holdfast/core/storage/BlobStore"
import * as RemoteBody from "@holdfast/core/storage/RemoteBody"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const range: ByteRange = { offset: 7, length: 1000 }

const open = (
  sent: number,
  contentLength: number | undefined,
  requested?: ByteRange,
  body: Stream.Stream<Uint8Array> | undefined = Generate.stream(1, sent, [300])
) =>
  RemoteBody.checked<string>({
    body,
    contentLength,
    range: requested,
    size: { expected: undefined, announced: undefined },
    onOtherSize: (size) => `other size: ${size}`,
    onUnexpected: (message) => `unexpected: ${message}`,
    onCut: (message) => `cut: ${message}`
  })

describe("RemoteBody", () => {
  it("rangeHeader: first and last position", () => {
    assert.strictEqual(RemoteBody.rangeHeader(range), "bytes=7-1006")
  })

  it.effect.each([[undefined], [range]])("range %j, as many bytes as declared → passed on", ([requested]) =>
    Effect.gen(function* () {
      const bytes = Buffer.concat(yield* Stream.runCollect(open(1000, 1000, requested)))
      assert.isTrue(bytes.equals(Generate.bytes(1, 1000)))
    })
  )

  it.effect.each([
    [999, 1000],
    [1001, 1000]
  ] as const)("%i bytes, %i declared → fails at the end", ([sent, declared]) =>
    Effect.gen(function* () {
      let count = 0
      const reading = Stream.runForEach(open(sent, declared), (chunk) =>
        Effect.sync(() => void (count += chunk.byteLength))
      )
      assert.strictEqual(yield* Effect.flip(reading), `cut: The service sent ${sent} bytes of ${declared}.`)
      assert.strictEqual(count, sent)
    })
  )

  it.effect.each([
    ["shorter than the range", 999],
    ["longer than the range", 5000],
    ["absent", undefined],
    ["not a number", Number.NaN]
  ] as const)("length %s → fails before the first byte", ([, declared]) =>
    Effect.gen(function* () {
      let count = 0
      const reading = Stream.runForEach(open(1000, declared, range), () => Effect.sync(() => void count++))
      assert.match(yield* Effect.flip(reading), /^unexpected: /)
      assert.strictEqual(count, 0)
    })
  )

  it.effect("no body → fails", () =>
    Effect.gen(function* () {
      const response = {
        body: undefined,
        contentLength: 10,
        range: undefined,
        size: { expected: undefined, announced: undefined },
        onOtherSize: () => "other size",
        onUnexpected: () => "unexpected",
        onCut: () => "cut"
      }
      assert.strictEqual(yield* Effect.flip(Stream.runDrain(RemoteBody.checked(response))), "unexpected")
    })
  )
})
