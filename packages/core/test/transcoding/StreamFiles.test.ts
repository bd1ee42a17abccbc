import { assert, describe, it } from "@effect/vitest"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Schema from "effect/Schema"

const index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999_999 }))

describe("StreamFiles", () => {
  it("names: each kind of file → documented name", () => {
    assert.strictEqual(StreamFiles.entry("hls"), "playlist.m3u8")
    assert.strictEqual(StreamFiles.entry("dash"), "manifest.mpd")
    assert.strictEqual(StreamFiles.mediaPlaylist({ name: "720p" }), "720p.m3u8")
    assert.strictEqual(StreamFiles.segment(StreamFiles.segmentPrefix({ name: "1080p" }, true), 0), "index0.ts")
    assert.strictEqual(StreamFiles.segment(StreamFiles.segmentPrefix({ name: "720p" }, false), 12), "720p/index12.ts")
    assert.strictEqual(StreamFiles.init(0), "init-0.m4s")
    assert.strictEqual(StreamFiles.chunk(2, 1), "chunk-2-1.m4s")
  })

  it("other audio and captions → a multivariant playlist, and files that are names of a stream", () => {
    const rendition = { name: "720p", width: 1280, height: 720, frameRate: 25, bitrate: 1 }
    const [english, german] = ["audio0", "audio1"].map((name) => ({ name, label: name, language: null, channels: 2 }))
    if (english === undefined || german === undefined) return assert.fail("two renditions")
    const captions = [{ name: "captions0", label: "A", language: "en" }]
    const [files] = StreamFiles.hlsRenditions({ renditions: [rendition], audio: [english, german] })
    assert.deepStrictEqual(files, { rendition, playlist: "720p.m3u8", prefix: "" })
    const audio = StreamFiles.hlsAudio({ audio: [english, german] })
    assert.deepStrictEqual(audio, [{ rendition: german, playlist: "audio1.m3u8", prefix: "audio1/" }])
    const texts = StreamFiles.captionFiles({ captions }).map(({ playlist, text }) => [playlist, text])
    assert.deepStrictEqual(texts, [["captions0.m3u8", "captions0.vtt"]])
    for (const name of ["audio1.m3u8", "audio1/index0.ts", "captions0.m3u8", "captions0.vtt"]) {
      assert.isTrue(StreamFiles.isName("hls", name), name)
    }
    assert.isTrue(StreamFiles.isName("dash", "captions0.vtt"))
    assert.isFalse(StreamFiles.isName("dash", "captions0.m3u8"))
    assert.strictEqual(StreamFiles.contentType("captions0.vtt"), "text/vtt; charset=utf-8")
    assert.isTrue(StreamFiles.hasMultivariant({ renditions: [rendition], captions }))
    assert.isFalse(StreamFiles.hasMultivariant({ renditions: [rendition] }))
    assert.strictEqual(
      StreamFiles.dashRepresentations({
        renditions: [rendition],
        hasAudio: true,
        hasVideo: true,
        audio: [english, german]
      }),
      3
    )
  })

  it.prop("isName: name of a generated file → true for its format only", [index], ([number]) => {
    assert.isTrue(StreamFiles.isName("hls", StreamFiles.segment("", number)))
    assert.isTrue(StreamFiles.isName("hls", StreamFiles.segment("360p/", number)))
    assert.isTrue(StreamFiles.isName("dash", StreamFiles.init(number)))
    assert.isTrue(StreamFiles.isName("dash", StreamFiles.chunk(number, number + 1)))
    assert.isFalse(StreamFiles.isName("dash", StreamFiles.segment("", number)))
    assert.isFalse(StreamFiles.isName("hls", StreamFiles.init(number)))
  })

  it.each([
    "",
    "index.ts",
    "index00.ts",
    "index-1.ts",
    "index0.ts\n",
    "../index0.ts",
    "/index0.ts",
    "720p/../index0.ts",
    "720p//index0.ts",
    "720p/playlist.m3u8",
    "audio.m3u8",
    "playlist.m3u8.tmp",
    "poster.jpg",
    "Index0.ts"
  ])("isName: %j → false", (name) => {
    assert.isFalse(StreamFiles.isName("hls", name))
    assert.isFalse(StreamFiles.isName("dash", name))
  })

  it("contentType and isPlaylist: each kind of file → expected value", () => {
    const types = ["playlist.m3u8", "manifest.mpd", "index0.ts", "init-0.m4s", "chunk-0-1.m4s"].map((name) => [
      StreamFiles.contentType(name),
      StreamFiles.isPlaylist(name)
    ])
    assert.deepStrictEqual(types, [
      ["application/vnd.apple.mpegurl", true],
      ["application/dash+xml", true],
      ["video/mp2t", false],
      ["video/mp4", false],
      ["video/mp4", false]
    ])
  })
})
