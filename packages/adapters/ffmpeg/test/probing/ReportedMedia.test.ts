import { assert, describe, it } from "@effect/vitest"
import * as ConversionPlan from "@holdfast/core/transcoding/ConversionPlan"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Report from "../../src/internal/probing/Report.ts"
import * as ReportedMedia from "../../src/internal/probing/ReportedMedia.ts"

const video = {
  index: 0,
  codec_type: "video",
  codec_name: "h264",
  profile: "High",
  level: 41,
  pix_fmt: "yuv420p",
  width: 1920,
  height: 1080,
  avg_frame_rate: "30000/1001",
  disposition: { attached_pic: 0, default: 1 }
}
const audio = { index: 1, codec_type: "audio", codec_name: "aac", profile: "LC", channels: 2, sample_rate: "48000" }
const format = { format_name: "matroska,webm", duration: "10.5", bit_rate: "1000000", probe_score: 100 }

const read = (report: object) =>
  Effect.map(Report.decode(JSON.stringify({ streams: [video, audio], format, ...report })), ReportedMedia.fromReport)

const media = (report: object) => Effect.map(read(report), Result.getOrThrow)

describe("ReportedMedia", () => {
  it.effect("fromReport: typical report → numbers and ratios; missing values are null", () =>
    Effect.gen(function* () {
      const found = yield* media({})
      assert.strictEqual(found.duration, 10.5)
      assert.isTrue(found.durationDeclared)
      assert.strictEqual(found.bitrate, 1_000_000)
      assert.approximately(found.video?.frameRate ?? 0, 29.97, 0.001)
      assert.isNull(found.video?.bitrate)
      assert.isNull(found.video?.keyframeInterval)
      assert.deepStrictEqual(found.audio, {
        index: 1,
        codec: "aac",
        profile: "LC",
        channels: 2,
        sampleRate: 48_000,
        bitrate: null,
        language: null,
        title: null,
        isTrimmed: false
      })
    })
  )

  it.effect.each([
    [{ side_data_list: [{ rotation: -90 }] }, 90, "1080x1920"],
    [{ side_data_list: [{}, { rotation: 90 }] }, 270, "1080x1920"],
    [{ side_data_list: [{ rotation: 180 }] }, 180, "1920x1080"],
    [{ tags: { rotate: "270" } }, 270, "1080x1920"],
    [{ sample_aspect_ratio: "4:3", width: 1440 }, 0, "1920x1080"],
    [{ sample_aspect_ratio: "4:3", width: 1440, tags: { rotate: "90" } }, 90, "1080x1920"],
    [{ sample_aspect_ratio: "0:1" }, 0, "1920x1080"]
  ] as const)("fromReport: video with %j → rotation %d, shown as %s", ([change, rotation, size]) =>
    Effect.gen(function* () {
      const found = yield* media({ streams: [{ ...video, ...change }] })
      assert.strictEqual(found.video?.rotation, rotation)
      assert.strictEqual(`${found.video?.width}x${found.video?.height}`, size)
    })
  )

  it.effect.each([
    ["no matrix", undefined, false],
    ["a rotation", [0, 65_536, -65_536, 0], false],
    ["top and bottom", [65_536, 0, 0, -65_536], true],
    ["left and right", [-65_536, 0, 0, 65_536], true],
    ["a rotation and a mirror", [0, 65_536, 65_536, 0], true]
  ] as const)("fromReport: %s %j → isMirrored %s", ([, matrix, isMirrored]) =>
    Effect.gen(function* () {
      const [a, b, c, d] = matrix ?? []
      const row = (name: number, ...values: ReadonlyArray<number | undefined>) =>
        `0000000${name}:${values.map((value) => String(value).padStart(12)).join("")}\n`
      const displaymatrix = `\n${row(0, a, b, 0)}${row(1, c, d, 0)}${row(2, 0, 0, 2 ** 30)}`
      const side_data_list = matrix === undefined ? [] : [{ displaymatrix, rotation: 0 }]
      const found = yield* media({ streams: [{ ...video, side_data_list }] })
      assert.strictEqual(found.video?.isMirrored, isMirrored)
    })
  )

  it.effect("fromReport: several streams → chooses one of each kind; other streams do not count for the duration", () =>
    Effect.gen(function* () {
      const streams = [
        { ...video, index: 0, duration: "8.0", disposition: { attached_pic: 0, default: 0 } },
        { ...video, index: 1, codec_name: "mjpeg", disposition: { attached_pic: 1, default: 1 } },
        { ...audio, index: 2, codec_name: "unknown", duration: "9.0" },
        { ...audio, index: 3, tags: { DURATION: "00:00:09.250000000" } },
        { index: 4, codec_type: "subtitle", codec_name: "subrip", duration: "100" }
      ]
      const found = yield* media({ streams, format: { ...format, duration: "100" } })
      assert.strictEqual(found.video?.index, 0)
      assert.strictEqual(found.audio?.index, 3)
      assert.strictEqual(found.duration, 9.25)
    })
  )

  it.effect.each([
    ["counted by the container", [{ nb_frames: "1" }, { nb_frames: "75" }], [], 1],
    ["without a count, with one packet", [{}, {}], [0, 1, 1], 1],
    ["beside another", [{ nb_frames: "1" }, { nb_frames: "1" }], [], 0],
    ["of an unknown codec beside it", [{ nb_frames: "1" }, { codec_name: "unknown" }], [], 0]
  ] as const)(
    "fromReport: a still picture is the default track, %s → video is the expected track",
    ([, tracks, of, index]) =>
      Effect.gen(function* () {
        const streams = tracks.map((change, order) => ({
          ...video,
          index: order,
          disposition: { attached_pic: 0, default: order === 0 ? 1 : 0 },
          ...change
        }))
        const packets = of.map((stream_index) => ({ stream_index, pts_time: "0", flags: "K_" }))
        assert.strictEqual((yield* media({ streams, packets })).video?.index, index)
      })
  )

  it.effect("fromReport: packets → longest keyframe interval, including the time after the last keyframe", () =>
    Effect.gen(function* () {
      const packet = (pts_time: string, flags: string, stream_index = 0) => ({ stream_index, pts_time, flags })
      const packets = [
        packet("0.0", "K_"),
        packet("1.0", "__"),
        packet("2.0", "K__"),
        packet("100.0", "K_", 1),
        packet("5.0", "___"),
        packet("4.5", "___")
      ]
      assert.strictEqual((yield* media({ packets })).video?.keyframeInterval, 3)
    })
  )

  it.effect.each([
    ["even, with B-frames", [0, 4, 2, 1, 3, 8, 6, 5, 7], {}, false],
    ["even, the last frames missing", [0, 4, 2, 1, 3, 8], {}, false],
    ["interlaced, with the rate of its fields", [0, 1, 2], { r_frame_rate: "60000/1001" }, false],
    ["with a long first one", [0, 90, 92, 91, 93], {}, true],
    ["with another rate on average", [0, 1, 2], { avg_frame_rate: "12/1", r_frame_rate: "30/1" }, true]
  ] as const)("fromReport: frames %s → isVariable as expected", ([, first, rates, isVariable]) =>
    Effect.gen(function* () {
      const last = first.at(-1) ?? 0
      const later = first.length === 6 ? [] : Array.from({ length: 30 }, (_, index) => last + 1 + index)
      const packets = [...first, ...later].map((time) => ({
        stream_index: 0,
        pts_time: String(time / 30),
        flags: "__"
      }))
      const found = yield* media({ streams: [{ ...video, ...rates }], packets })
      assert.strictEqual(found.video?.isVariable, isVariable)
    })
  )

  it.effect.each([
    [[], "NotMedia"],
    [[{ index: 0, codec_type: "subtitle", codec_name: "subrip" }], "NotMedia"],
    [[{ ...video, disposition: { attached_pic: 1, default: 0 } }], "NotMedia"],
    [[{ ...video, width: 0, height: 0 }], "NotMedia"],
    [[{ ...audio, sample_rate: "0" }], "NotMedia"],
    [[{ ...video, codec_name: "unknown" }, audio], "Unsupported"],
    [[{ index: 0, codec_type: "video", width: 10, height: 10 }], "Unsupported"]
  ] as const)("fromReport: streams %j → %s", ([streams, refusal]) =>
    Effect.gen(function* () {
      const result = yield* read({ streams })
      assert.deepStrictEqual(result, Result.fail(refusal))
    })
  )

  it.effect.each([
    ["matroska,webm", true],
    ["avi", true],
    ["mp3", false],
    ["aac", false],
    ["mpegts", false]
  ] as const)("fromReport: container %s → durationDeclared %s", ([format_name, expected]) =>
    Effect.gen(function* () {
      const found = yield* media({ format: { ...format, format_name } })
      assert.strictEqual(found.durationDeclared, expected)
    })
  )

  it.effect("fromReport: fragmented MP4, whose tracks count no frames → durationDeclared false", () =>
    Effect.gen(function* () {
      const mp4 = { ...format, format_name: "mov,mp4,m4a,3gp,3g2,mj2" }
      assert.isFalse((yield* media({ format: mp4 })).durationDeclared)
      const streams = [
        { ...video, nb_frames: "300" },
        { ...audio, nb_frames: "500" }
      ]
      assert.isTrue((yield* media({ format: mp4, streams })).durationDeclared)
    })
  )

  it.effect("fromReport: Matroska that begins at one hour → the duration from there", () =>
    Effect.gen(function* () {
      const tags = { DURATION: "01:00:05.000000000" }
      const streams = [
        { ...video, tags },
        { ...audio, tags }
      ]
      const found = yield* media({ streams, format: { ...format, start_time: "3600", duration: "3605" } })
      assert.strictEqual(found.duration, 5)
    })
  )

  it.effect(
    "fromReport: packets that are not to be shown → trimmed; the samples before a track of audio do not count",
    () =>
      Effect.gen(function* () {
        const packet = (stream_index: number, pts_time: string) => ({ stream_index, pts_time, flags: "KD" })
        const none = yield* media({ packets: [packet(1, "-0.0232"), packet(0, "9.9")] })
        assert.deepStrictEqual([none.video?.isTrimmed, none.audio?.isTrimmed], [false, false])
        const both = yield* media({ packets: [packet(1, "-0.26"), packet(0, "-0.28")] })
        assert.deepStrictEqual([both.video?.isTrimmed, both.audio?.isTrimmed], [true, true])
      })
  )

  it.effect.each([
    ["sample entry", { streams: [{ ...video, codec_tag_string: "encv" }] }],
    ["packets", { packets: [{ stream_index: 1, side_data_list: [{}, { side_data_type: "Encryption info" }] }] }]
  ] as const)("fromReport: encrypted %s → Encrypted", ([, report]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read(report), Result.fail("Encrypted"))
    })
  )

  it.effect("fromReport: chapters → from the beginning of the file, in order, with titles of one short line", () =>
    Effect.gen(function* () {
      const found = yield* media({
        format: { ...format, start_time: "10.0" },
        chapters: [
          { start_time: "12.5", tags: { title: ` The\n\u202e"end"${"x".repeat(100)}` } },
          { start_time: "10.000000" },
          { tags: { title: "\u0007" } }
        ]
      })
      assert.deepStrictEqual(found.chapters, [
        { start: 0, title: null },
        { start: 0, title: null },
        { start: 2.5, title: `The "end"${"x".repeat(55)}` }
      ])
      const many = yield* media({ chapters: Array.from({ length: 1000 }, () => ({ start_time: "1" })) })
      assert.strictEqual(many.chapters.length, 200)
    })
  )

  it.effect(
    "fromReport: several audio tracks and subtitles → languages in BCP 47; no audio without packets, no subtitles but text",
    () =>
      Effect.gen(function* () {
        const subtitle = { codec_type: "subtitle", codec_name: "subrip" }
        const found = yield* media({
          streams: [
            video,
            { ...audio, tags: { language: "ger" } },
            { ...audio, index: 2, tags: { language: "und", title: 'A"\nB' }, channels: 6 },
            { ...audio, index: 3, codec_name: "none" },
            { ...audio, index: 7 },
            { ...subtitle, index: 4, tags: { language: "pt-br" } },
            { ...subtitle, index: 5, codec_name: "hdmv_pgs_subtitle" },
            { ...subtitle, index: 6, codec_name: "mov_text", tags: { language: "not a language" } }
          ],
          packets: [1, 2, 3].map((stream_index) => ({ stream_index, pts_time: "0", flags: "K_" }))
        })
        assert.strictEqual(found.audio?.language, "de")
        assert.deepStrictEqual(
          found.otherAudio.map(({ channels, index, language, title }) => [index, channels, language, title]),
          [[2, 6, null, "A B"]]
        )
        assert.deepStrictEqual(found.captions, [
          { index: 4, language: "pt-BR", title: null },
          { index: 6, language: null, title: null }
        ])
      })
  )

  it.effect("fromReport: language with extensions and private subtags → without them, with a label of the rest", () =>
    Effect.gen(function* () {
      const tags = ["de-DE-u-co-phonebk", "en-x-notes", "zh-Hant-t-en", "und-x-none", "x-klingon"]
      const found = yield* media({
        streams: [video, ...tags.map((language, index) => ({ ...audio, index: index + 1, tags: { language } }))],
        packets: tags.map((_, index) => ({ stream_index: index + 1, pts_time: "0", flags: "K_" }))
      })
      const { defaultAudio, otherAudio } = ConversionPlan.make(found, "auto")
      assert.deepStrictEqual(
        [defaultAudio, ...otherAudio.map(({ rendition }) => rendition)].map((one) => [one?.language, one?.label]),
        [
          ["de-DE", "Deutsch (Deutschland)"],
          ["en", "English"],
          ["zh-Hant", "繁體中文"],
          [null, "Audio 4"],
          [null, "Audio 5"]
        ]
      )
    })
  )
})
