import { assert, describe, it } from "@effect/vitest"
import * as ConversionPlan from "@holdfast/core/transcoding/ConversionPlan"
import * as Limits from "@holdfast/core/transcoding/Limits"
import type { Media } from "@holdfast/core/transcoding/Media"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as Dash from "../../src/internal/arguments/Dash.ts"
import * as Hls from "../../src/internal/arguments/Hls.ts"
import * as Input from "../../src/internal/arguments/Input.ts"
import * as Options from "../../src/internal/arguments/Options.ts"
import * as Tracks from "../../src/internal/arguments/Tracks.ts"

const tracks = (media: Media, mode: ConversionPlan.Mode = "auto") =>
  Tracks.fromPlan(ConversionPlan.make(media, mode), { preset: "veryfast", threads: 3 })

/** Returns the values of an option, in order. */
const values = (args: ReadonlyArray<string>, name: string): ReadonlyArray<string | undefined> =>
  args.flatMap((argument, index) => (argument === `-${name}` ? [args[index + 1]] : []))

describe("arguments", () => {
  it("Options.make: options → arguments in the same order, without undefined ones", () => {
    assert.deepStrictEqual(Options.make({ f: "hls", y: true, no: undefined, t: 4 }), ["-f", "hls", "-y", "-t", "4"])
  })

  it("Input.file: whitelists contain only self-contained formats and the protocol `file`", () => {
    const args = Options.make(Input.file("file:/x", { ...Limits.defaults, pixels: 100, threads: 2 }))
    assert.deepStrictEqual(values(args, "protocol_whitelist"), ["file"])
    assert.deepStrictEqual(values(args, "max_pixels"), ["100"])
    assert.deepStrictEqual(values(args, "threads"), ["2"])
    const formats = values(args, "format_whitelist")[0]?.split(",") ?? []
    assert.includeMembers(formats, ["mov", "matroska", "avi", "flv", "asf"])
    for (const dangerous of ["hls", "dash", "concat", "sdp", "rtsp", "image2", "tty", "lavfi"]) {
      assert.notInclude(formats, dangerous)
    }
    assert.deepStrictEqual(args.slice(-2), ["-i", "file:/x"])
  })

  it("Hls.outputs: supported tracks → copied, no filters", () => {
    const args = Hls.outputs(tracks(FakeMedia.playable))
    assert.deepStrictEqual(values(args, "map"), ["0:0", "0:1"])
    assert.deepStrictEqual([...values(args, "c:v"), ...values(args, "c:a")], ["copy", "copy"])
    assert.deepStrictEqual(values(args, "hls_time"), ["4"])
    assert.deepStrictEqual(values(args, "filter_complex"), [])
    assert.strictEqual(args.at(-1), "playlist.m3u8")
  })

  it("Hls.outputs: several renditions → one decoder, bounded threads for each encoder", () => {
    const args = Hls.outputs(tracks(FakeMedia.foreign))
    assert.deepStrictEqual(values(args, "map"), [
      "[picture0]",
      "0:1",
      "[picture1]",
      "0:1",
      "[picture2]",
      "0:1",
      "[picture3]",
      "0:1"
    ])
    assert.deepStrictEqual(values(args, "threads:v"), ["3", "3", "3", "3"])
    assert.deepStrictEqual(values(args, "hls_base_url"), ["480p/", "360p/", "240p/"])
    assert.deepStrictEqual(
      args.filter((argument) => argument.endsWith(".m3u8")),
      ["720p.m3u8", "480p.m3u8", "360p.m3u8", "240p.m3u8"]
    )
    assert.deepStrictEqual(values(args, "hls_time"), ["0.001", "0.001", "0.001", "0.001"])
    const [graph = ""] = values(args, "filter_complex")
    assert.match(graph, /^\[0:0\]setparams=[^,]*,split=4/)
    assert.include(graph, "scale=854:480")
  })

  it("Dash.outputs: several renditions → one output with one aspect ratio", () => {
    const args = Dash.outputs(tracks(FakeMedia.foreign))
    assert.deepStrictEqual(values(args, "map"), ["[picture0]", "[picture1]", "[picture2]", "[picture3]", "0:1"])
    assert.deepStrictEqual(values(args, "aspect:v:2"), ["1280:720"])
    assert.deepStrictEqual(values(args, "adaptation_sets"), ["id=0,seg_duration=0.001,streams=v id=1,streams=a"])
    assert.deepStrictEqual(values(args, "bsf:a"), [])
    const copied = Dash.outputs(tracks(FakeMedia.playable))
    assert.deepStrictEqual(values(copied, "bsf:a"), ["aac_adtstoasc"])
    assert.deepStrictEqual(values(copied, "aspect:v:0"), [])
  })

  it("outputs: no audio or no video → no arguments for it", () => {
    const silent = Dash.outputs(tracks({ ...FakeMedia.playable, audio: null }))
    assert.deepStrictEqual(values(silent, "adaptation_sets"), ["id=0,streams=v"])
    const sound = Hls.outputs(tracks({ ...FakeMedia.foreign, video: null }))
    assert.deepStrictEqual(values(sound, "map"), ["0:1"])
    assert.deepStrictEqual(values(sound, "b:a"), ["128000"])
  })

  it("outputs: interlaced video at 120 frames per second → deinterlaced, frames dropped", () => {
    const { foreign } = FakeMedia
    if (foreign.video === null) return assert.fail("it has a picture")
    const [graph = ""] = values(
      Hls.outputs(tracks({ ...foreign, video: { ...foreign.video, interlaced: true, frameRate: 120 } })),
      "filter_complex"
    )
    assert.match(graph, /^\[0:0\]bwdif=[^,]*,select=[^[]*,split=4/)
  })
})
