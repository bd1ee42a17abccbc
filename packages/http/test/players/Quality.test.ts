import { expect, it } from "vitest"

const level = { bitrate: 5_000_000, width: 1920, height: 1080, videoCodec: "avc1.640028", videoRange: "SDR" }

/** The script of the player has no declarations of its own. */
const module = new URL("../../src/players/browser/Quality.js", import.meta.url).href
const { labelOf } = (await import(module)) as { readonly labelOf: (one: typeof level) => string }

it("label of a quality: H.265 with the size of another one → another label", () => {
  const hevc = { ...level, videoCodec: "hvc1.2.4.L120.90" }
  const all = [level, { ...hevc, videoRange: "PQ" }, { ...hevc, videoRange: "HLG" }, hevc]
  expect(all.map(labelOf)).toEqual(["1080p", "1080p HDR", "1080p HDR", "1080p HEVC"])
})

it("label of a quality: no picture → its rate", () => {
  expect(labelOf({ ...level, bitrate: 128_000, width: 0, height: 0, videoCodec: "" })).toBe("128 kbit/s")
})
