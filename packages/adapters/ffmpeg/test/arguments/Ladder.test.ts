import { assert, describe, it } from "@effect/vitest"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as Ladder from "../../src/internal/arguments/Ladder.ts"

const rendition = { name: "240p", width: 426, height: 240, frameRate: 25, bitrate: 200_000 }
const tracks = {
  presentation: { renditions: [rendition] as const },
  video: [{ map: "0:0", encode: undefined }],
  audio: undefined,
  otherAudio: [],
  captions: [],
  cutsAtKeyframes: false,
  filters: {}
}

describe("Ladder", () => {
  it("outputs: segments of the copy begin at a time of their own → the same time in MPEG-TS", () => {
    const shifted = Ladder.outputs(tracks, "hls", 1.4).join(" ")
    assert.include(shifted, "-avoid_negative_ts disabled -output_ts_offset 1.4")
    assert.notInclude(Ladder.outputs(tracks, "hls").join(" "), "output_ts_offset")
    assert.notInclude(Ladder.outputs(tracks, "dash", 1.4).join(" "), "output_ts_offset")
  })

  it("unwritten: all audio → read, and written nowhere", () => {
    const { audio } = FakeMedia.playable
    const media = { audio, otherAudio: audio === null ? [] : [{ ...audio, index: 2 }] }
    assert.strictEqual(Ladder.unwritten(media).join(" "), "-map 0:1 -map 0:2 -c copy -f null -")
    assert.deepStrictEqual(Ladder.unwritten({ audio: null, otherAudio: [] }), [])
  })
})
