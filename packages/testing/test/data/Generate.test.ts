import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@holdfast/core/Ids"
import * as FileName from "@holdfast/core/files/FileName"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { gzipSync } from "node:zlib"
import * as Generate from "../../src/data/Generate.ts"

describe("Generate", () => {
  it("bytes: same seed → same bytes, from any offset", () => {
    const whole = Generate.bytes(7, 10_000)
    assert.deepStrictEqual(Generate.bytes(7, 10_000), whole)
    assert.notDeepEqual(Generate.bytes(8, 10_000), whole)
    for (const [offset, length] of [
      [0, 0],
      [1, 1],
      [3, 9],
      [4, 8],
      [9_999, 1],
      [1001, 5003]
    ] as const) {
      assert.deepStrictEqual(Generate.bytes(7, length, offset), whole.slice(offset, offset + length))
    }
    // Must never change: one release checks contents that an earlier release generated.
    assert.strictEqual(Buffer.from(Generate.bytes(1, 8)).toString("hex"), "f597f36f36cf1c7a")
  })

  it("bytes: any seed → bytes that do not compress", () => {
    for (const seed of [0, 1, 2, 0xffff_ffff]) {
      assert.isAbove(gzipSync(Generate.bytes(seed, 100_000)).byteLength, 99_000)
    }
  })

  it.effect("stream: chunk sizes → the same bytes in chunks of these sizes", () =>
    Effect.gen(function* () {
      const chunks = yield* Stream.runCollect(Generate.stream(7, 1000, [1, 300, 7]))
      assert.deepStrictEqual(
        chunks.map((chunk) => chunk.byteLength),
        [1, 300, 7, 1, 300, 7, 1, 300, 7, 1, 75]
      )
      assert.deepStrictEqual(Buffer.concat(chunks), Buffer.from(Generate.bytes(7, 1000)))
    })
  )

  it("id: 10,000 indexes → distinct, well-formed ids", () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => Generate.id("blb", 3, index))
    assert.isTrue(ids.every((id) => Ids.is("blb", id)))
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("fileNames: 500 → distinct, valid names, the last one with 255 bytes", () => {
    const names = Generate.fileNames(5, 500)
    assert.isTrue(names.every(Schema.is(FileName.FileName)))
    assert.strictEqual(new Set(names).size, names.length)
    assert.isTrue(names.some((name) => /[^\u0000-\u007f]/.test(name)))
    assert.strictEqual(Buffer.byteLength(names.at(-1) ?? ""), 255)
  })
})
