import { assert, describe, it } from "@effect/vitest"
import * as PooledRandom from "@holdfast/core/secrets/PooledRandom"
import * as Effect from "effect/Effect"
import { SecureRandom } from "effect/crypto/SecureRandom"

/** Returns bytes that count up, so that each position of the source is known, and the sizes that were asked for. */
const counting = () => {
  let next = 0
  const sizes: Array<number> = []
  const draw = (size: number): Uint8Array => {
    sizes.push(size)
    const words = new Uint32Array(size / 4)
    for (let index = 0; index < words.length; index++) words[index] = next++
    return new Uint8Array(words.buffer)
  }
  return { draw, sizes }
}

describe("PooledRandom", () => {
  it("makeBytes: many draws → each byte of the source at most once, few calls of it", () => {
    const { draw, sizes } = counting()
    const bytes = PooledRandom.makeBytes(draw)
    const seen = new Set<number>()
    for (let drawn = 0; drawn < 10_000; drawn++) {
      const [word] = new Uint32Array(bytes(4).slice().buffer)
      assert.isFalse(seen.has(word ?? -1))
      seen.add(word ?? -1)
    }
    assert.isAtMost(sizes.length, 10)
  })

  it("makeBytes: sizes at the bounds of a block → as many bytes, in memory of their own", () => {
    const { draw, sizes } = counting()
    const bytes = PooledRandom.makeBytes(draw)
    for (const size of [0, 4, 64, 128, 4096, 16, 64]) {
      const drawn = bytes(size)
      assert.strictEqual(drawn.length, size)
      drawn.fill(255)
      assert.isFalse(bytes(64).every((byte) => byte === 255))
    }
    assert.includeMembers(sizes, [128, 4096])
  })

  it.effect("layer: ids at the same time → all different, and no byte is constant", () =>
    Effect.gen(function* () {
      const random = yield* SecureRandom
      const ids = new Set<string>()
      for (let made = 0; made < 2000; made++) ids.add(yield* random.uuidV4())
      assert.strictEqual(ids.size, 2000)
      const draws = [yield* random.randomBytes(32), yield* random.randomBytes(32), yield* random.randomBytes(5000)]
      for (const drawn of draws) assert.isAbove(new Set(drawn).size, 8)
    }).pipe(Effect.provide(PooledRandom.layer))
  )
})
