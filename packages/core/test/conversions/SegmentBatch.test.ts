import { assert, describe, it } from "@effect/vitest"
import * as SegmentBatch from "../../src/conversions/worker/internal/SegmentBatch.ts"

const names = (count: number, prefix = "") => Array.from({ length: count }, (_, index) => `${prefix}index${index}.ts`)

const playlist = [
  "#EXTM3U",
  "#EXT-X-PLAYLIST-TYPE:EVENT",
  "#EXTINF:4.000000,",
  "index0.ts",
  "#EXT-X-DISCONTINUITY",
  "#EXTINF:4.000000,",
  "index1.ts",
  "#EXT-X-ENDLIST",
  ""
]

describe("SegmentBatch", () => {
  it("split: many segments → batches in playing order, over all renditions", () => {
    const batches = SegmentBatch.split([...names(40, "360p/"), ...names(40)], 4)
    assert.deepStrictEqual(batches[0], ["360p/index0.ts", "index0.ts", "360p/index1.ts", "index1.ts"])
    assert.deepStrictEqual(
      batches.map(({ length }) => length),
      [4, 32, 32, 12]
    )
    assert.strictEqual(new Set(batches.flat()).size, 80)
    assert.deepStrictEqual(
      SegmentBatch.split(names(40), undefined).map(({ length }) => length),
      [32, 8]
    )
    assert.deepStrictEqual(SegmentBatch.split(names(3), 4), [names(3)])
    assert.deepStrictEqual(SegmentBatch.split([], 4), [[]])
  })

  it("publicPrefix: some segments are public → playlist up to the last public one", () => {
    const text = playlist.join("\n")
    const prefix = (...known: ReadonlyArray<string>) => SegmentBatch.publicPrefix(text, (name) => known.includes(name))
    assert.strictEqual(prefix("index0.ts", "index1.ts"), text)
    assert.strictEqual(prefix("index0.ts"), `${playlist.slice(0, 4).join("\n")}\n`)
    assert.isUndefined(prefix("index1.ts"))
    assert.isUndefined(SegmentBatch.publicPrefix("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n720p.m3u8\n", () => true))
  })
})
