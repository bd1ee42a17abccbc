import { assert, describe, it } from "@effect/vitest"
import * as Ladder from "@holdfast/core/transcoding/Ladder"
import * as Schema from "effect/Schema"

const side = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 16_384 }))
const rate = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })))

const source = { bitrate: null, codec: "vp9" }

const sizes = (width: number, height: number, lines?: number): ReadonlyArray<string> =>
  Ladder.rungs({ ...source, width, height, frameRate: 30 }, lines).map((rung) => `${rung.width}x${rung.height}`)

describe("Ladder", () => {
  it.each([
    [3840, 2160, ["1920x1080", "1280x720", "854x480", "640x360", "426x240"]],
    [1920, 1080, ["1920x1080", "1280x720", "854x480", "640x360", "426x240"]],
    [1080, 1920, ["1080x1920", "720x1280", "480x854", "360x640", "240x426"]],
    [1280, 720, ["1280x720", "854x480", "640x360", "426x240"]],
    [853, 479, ["852x478", "642x360", "428x240"]],
    [640, 360, ["640x360", "426x240"]],
    [320, 240, ["320x240"]],
    [1440, 1080, ["1440x1080", "960x720", "640x480", "480x360", "320x240"]],
    [2560, 1080, ["2560x1080", "1706x720", "1138x480", "854x360", "568x240"]],
    [10_000, 1000, ["4080x408", "2400x240"]],
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
    assert.strictEqual(Ladder.rungs({ ...source, width, height, frameRate: 25 })[0].maxBitrate, expected)
  })

  it("rungs: 60 frames per second → higher bitrate", () => {
    const [rung] = Ladder.rungs({ ...source, width: 1920, height: 1080, frameRate: 60 })
    assert.strictEqual(rung.maxBitrate, 7_070_000)
  })

  it.each([
    ["h264", 1_500_000, [2_250_000, 1_220_000, 670_000, 430_000, 240_000]],
    ["hevc", 1_500_000, [4_500_000, 2_450_000, 1_330_000, 870_000, 470_000]],
    ["h264", 200_000, [1_500_000, 820_000, 440_000, 290_000, 200_000]],
    ["h264", 20_000_000, [5_000_000, 2_720_000, 1_480_000, 960_000, 520_000]]
  ])(
    "rungs: 1080p of %s at %d bits per second → as many bits as the source is worth, and enough for a keyframe",
    (codec, bitrate, expected) => {
      const rungs = Ladder.rungs({ width: 1920, height: 1080, frameRate: 25, codec, bitrate })
      assert.deepStrictEqual(
        rungs.map(({ maxBitrate }) => maxBitrate),
        expected
      )
    }
  )

  it.each([
    [3840, 2160, 2160, ["3840x2160", "2560x1440", "1920x1080", "1280x720", "854x480", "640x360", "426x240"]],
    [3840, 2160, 1440, ["2560x1440", "1920x1080", "1280x720", "854x480", "640x360", "426x240"]],
    [1920, 1080, 2160, ["1920x1080", "1280x720", "854x480", "640x360", "426x240"]]
  ])("rungs: %d by %d, at most %d lines → expected sizes", (width, height, lines, expected) => {
    assert.deepStrictEqual(sizes(width, height, lines), expected)
  })

  it.prop(
    "rungs: any size → even, within the picture and the maximum, same aspect ratio",
    [side, side, rate],
    ([width, height, frameRate]) => {
      const rungs = Ladder.rungs({ ...source, width, height, frameRate })
      assert.isAtLeast(rungs.length, 1)
      assert.isAtMost(rungs.length, 5)
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
      const rungs = Ladder.rungs({ ...source, width, height, frameRate: 30 })
      for (const [index, lower] of rungs.slice(1).entries()) {
        const upper = rungs[index]
        assert.isBelow(Math.min(lower.width, lower.height), Math.min(upper?.width ?? 0, upper?.height ?? 0))
        assert.isBelow(lower.maxBitrate, upper?.maxBitrate ?? 0)
      }
    }
  )

  it.each([
    ["needs more than usual", 20_000_000, null, 8_000_000],
    ["needs what is usual", 3_333_333, null, 5_000_000],
    ["needs little", 100_000, null, 2_500_000],
    ["needs more than its source has", 20_000_000, 6_000_000, 6_000_000],
    ["source has less than usual", 20_000_000, 1_000_000, 5_000_000]
  ])(
    "fitTo: video that %s → bitrates within bounds, each rung below the one before",
    (_, bitrate, sourceBitrate, best) => {
      const usual = Ladder.rungs({ ...source, width: 1920, height: 1080, frameRate: 30 })
      const fitted = Ladder.fitTo(usual, bitrate, sourceBitrate)
      assert.strictEqual(fitted[0].maxBitrate, best)
      for (const [index, lower] of fitted.slice(1).entries()) {
        assert.isBelow(lower.maxBitrate, 0.9 * (fitted[index]?.maxBitrate ?? 0))
        assert.isAtLeast(lower.maxBitrate, 200_000)
      }
    }
  )

  it("fitTo: bitrates near the least one → rungs that save too little are left out", () => {
    const usual = Ladder.rungs({ ...source, width: 640, height: 360, frameRate: 30 })
    assert.deepStrictEqual(
      usual.map(({ height }) => height),
      [360, 240]
    )
    const [low] = Ladder.rungs({ ...source, width: 426, height: 240, frameRate: 30 })
    assert.deepStrictEqual(
      Ladder.fitTo([{ ...usual[0], maxBitrate: 220_000 }, low], 1000, null).map(({ height }) => height),
      [360]
    )
  })

  it("below: sizes and bitrates of copies → only smaller rungs of a lower bitrate, down to 240 lines", () => {
    const lines = (height: number, bitrate: number) =>
      Ladder.below({ width: Math.round((height * 16) / 9), height, bitrate, frameRate: 30 }).map((rung) => rung.height)
    assert.deepStrictEqual(lines(2160, 40_000_000), [1080, 720, 480, 360, 240])
    assert.deepStrictEqual(lines(1080, 20_000_000), [720, 480, 360, 240])
    assert.deepStrictEqual(lines(360, 2_000_000), [240])
    assert.deepStrictEqual(lines(240, 2_000_000), [])
    const copied = { width: 3840, height: 2160, bitrate: 40_000_000, frameRate: 30 }
    assert.deepStrictEqual(
      Ladder.below(copied, 2160).map((rung) => rung.height),
      [1440, 1080, 720, 480, 360, 240]
    )
    // The bitrate of a rung is a maximum: a copy of few bits gains nothing from one that may have more.
    assert.deepStrictEqual(lines(720, 150_000), [])
  })

  it("below a copy: encoded video of one size → none, as it was encoded in all of its sizes", () => {
    const rendition = { name: "1080p", width: 1920, height: 1080, frameRate: 25, bitrate: 20_000_000 }
    const presentation = {
      format: "hls",
      duration: 10,
      hasVideo: true,
      hasAudio: false,
      renditions: [rendition]
    } as const
    assert.isAbove(Ladder.belowCopy(presentation).length, 3)
    assert.lengthOf(Ladder.belowCopy({ ...presentation, isShared: true }), 0)
  })

  it("below a copy: packaged video whose files both formats share → as many as below another copy", () => {
    const rendition = { name: "1080p", width: 1920, height: 1080, frameRate: 25, bitrate: 20_000_000 }
    const copy = { format: "hls", duration: 10, hasVideo: true, hasAudio: false, renditions: [rendition] } as const
    assert.deepStrictEqual(Ladder.belowCopy({ ...copy, isPackaged: true, isShared: true }), Ladder.belowCopy(copy))
  })
})
