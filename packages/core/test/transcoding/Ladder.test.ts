import { assert, describe, it } from "@effect/vitest"
import * as Ladder from "@holdfast/core/transcoding/Ladder"
import * as Schema from "effect/Schema"

const side = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 16_384 }))
const rate = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })))

const sizes = (width: number, height: number): ReadonlyArray<string> =>
  Ladder.rungs({ width, height, frameRate: 30 }).map((rung) => `${rung.width}x${rung.height}`)

describe("Ladder", () => {
  it.each([
    [3840, 2160, ["1920x1080", "1280x720", "854x480"]],
    [1920, 1080, ["1920x1080", "1280x720", "854x480"]],
    [1080, 1920, ["1080x1920", "720x1280", "480x854"]],
    [1280, 720, ["1280x720", "854x480", "640x360"]],
    [853, 479, ["852x478", "642x360"]],
    [640, 360, ["640x360"]],
    [320, 240, ["320x240"]],
    [1440, 1080, ["1440x1080", "960x720", "640x480"]],
    [2560, 1080, ["2560x1080", "1706x720", "1138x480"]],
    [10_000, 1000, ["4080x408"]],
    [1, 1, ["2x2"]],
    [16_384, 1, ["4096x2"]]
  ])("rungs: %d by %d → expected sizes", (width, height, expected) => {
    assert.deepStrictEqual(sizes(width, height), expected)
  })

  it.each([
    [1920, 1080, 5_000_000],
    [1280, 720, 2_720_000],
    [854, 480, 1_480_000],
    [64, 64, 200_000]
  ])("rungs: %d by %d → at most %d bits per second", (width, height, expected) => {
    assert.strictEqual(Ladder.rungs({ width, height, frameRate: 25 })[0].maxBitrate, expected)
  })

  it("rungs: 60 frames per second → higher bitrate", () => {
    const [rung] = Ladder.rungs({ width: 1920, height: 1080, frameRate: 60 })
    assert.strictEqual(rung.maxBitrate, 7_070_000)
  })

  it.prop(
    "rungs: any size → even, within the picture and the maximum, same aspect ratio",
    [side, side, rate],
    ([width, height, frameRate]) => {
      const rungs = Ladder.rungs({ width, height, frameRate })
      assert.isAtLeast(rungs.length, 1)
      assert.isAtMost(rungs.length, 3)
      for (const rung of rungs) {
        assert.strictEqual(rung.width % 2, 0)
        assert.strictEqual(rung.height % 2, 0)
        assert.isAtLeast(Math.min(rung.width, rung.height), 2)
        assert.isAtMost(rung.width, Math.max(2, width))
        assert.isAtMost(rung.height, Math.max(2, height))
        assert.isAtMost(Math.min(rung.width, rung.height), 1080)
        assert.isAtMost(Math.max(rung.width, rung.height), 4096)
        // Rounding the shorter side to an even number changes the longer one in proportion.
        const [shorter, longer] = [Math.min(width, height), Math.max(width, height)]
        const expected = (Math.min(rung.width, rung.height) * longer) / shorter
        if (shorter >= 2) assert.isAtMost(Math.abs(Math.max(rung.width, rung.height) - Math.min(expected, 4096)), 2)
      }
    }
  )

  it.prop(
    "rungs: any size → each rung is smaller than the one before, in size and bitrate",
    [side, side],
    ([width, height]) => {
      const rungs = Ladder.rungs({ width, height, frameRate: 30 })
      for (const [index, lower] of rungs.slice(1).entries()) {
        const upper = rungs[index]
        assert.isBelow(Math.min(lower.width, lower.height), Math.min(upper?.width ?? 0, upper?.height ?? 0))
        assert.isBelow(lower.maxBitrate, upper?.maxBitrate ?? 0)
      }
    }
  )
})
