import { assert, describe, it } from "@effect/vitest"
import type { AudioRendition } from "@holdfast/core/transcoding/AudioRendition"
import type { Color } from "@holdfast/core/transcoding/Color"
import * as ConversionPlan from "@holdfast/core/transcoding/ConversionPlan"
import type { Audio, Media, Video } from "@holdfast/core/transcoding/Media"

const unknownColor: Color = { matrix: null, transfer: null, primaries: null, fullRange: false }

const video: Video = {
  index: 0,
  codec: "h264",
  profile: "High",
  level: 41,
  pixelFormat: "yuv420p",
  color: unknownColor,
  width: 1920,
  height: 1080,
  rotation: 0,
  isMirrored: false,
  squarePixels: true,
  interlaced: false,
  frameRate: 30,
  isVariable: false,
  bitrate: 4_000_000,
  isTrimmed: false,
  keyframeInterval: 2
}
const audio: Audio = {
  index: 1,
  codec: "aac",
  profile: "LC",
  channels: 2,
  sampleRate: 48_000,
  bitrate: 128_000,
  language: null,
  title: null,
  isTrimmed: false
}
const media: Media = {
  container: "mov,mp4,m4a,3gp,3g2,mj2",
  duration: 60,
  durationDeclared: true,
  bitrate: 4_200_000,
  video,
  audio,
  otherAudio: [],
  captions: [],
  chapters: []
}

const withVideo = (change: Partial<Video>): Media => ({ ...media, video: { ...video, ...change } })
const withAudio = (change: Partial<Audio>): Media => ({ ...media, audio: { ...audio, ...change } })
const toOther = (change: Partial<Audio>, index: number): Audio => ({ ...audio, index: index + 2, ...change })
const withOther = (...others: ReadonlyArray<Partial<Audio>>): Media => ({
  ...media,
  otherAudio: others.map(toOther)
})
const names = ({ renditions }: ConversionPlan.ConversionPlan) => renditions.map(({ name }) => name)

describe("ConversionPlan", () => {
  it("several audio tracks → a rendition of each, with labels that differ", () => {
    const plan = ConversionPlan.make(
      withOther(
        { language: "de" },
        { language: "de", codec: "ac3", profile: null, channels: 6 },
        { title: "Comments" }
      ),
      "auto"
    )
    assert.deepStrictEqual(plan.audio, { _tag: "Copy", index: 1 })
    assert.deepStrictEqual(
      ConversionPlan.toRenditions(plan).audio?.map(({ channels, label, name }) => [name, label, channels]),
      [
        ["audio0", "Audio 1", 2],
        ["audio1", "Deutsch", 2],
        ["audio2", "Deutsch (2)", 2],
        ["audio3", "Deutsch 5.1", 6],
        ["audio4", "Deutsch 5.1 AC-3", 6],
        ["audio5", "Comments", 2]
      ]
    )
    assert.deepStrictEqual<object>(
      plan.otherAudio.map((other) => other.plan),
      [
        { _tag: "Copy", index: 2 },
        { _tag: "Encode", index: 3, channels: 2, sampleRate: 48_000, bitrate: 128_000 },
        { _tag: "Encode", index: 3, channels: 6, sampleRate: 48_000, bitrate: 384_000 },
        { _tag: "Copy", index: 3 },
        { _tag: "Copy", index: 4 }
      ]
    )
    const many = ConversionPlan.make(withOther(...Array.from({ length: 50 }, () => ({}))), "auto")
    assert.strictEqual(many.otherAudio.length, 11)
  })

  it.each<[string, Partial<Audio>, ConversionPlan.Mode, AudioRendition["codec"]]>([
    ["AC-3", { codec: "ac3", channels: 6 }, "auto", "ac-3"],
    ["E-AC-3 of eight channels", { codec: "eac3", channels: 8 }, "auto", "ec-3"],
    ["AC-3 in stereo", { codec: "ac3", channels: 2 }, "auto", undefined],
    ["AC-3 with a trimmed beginning", { codec: "ac3", channels: 6, isTrimmed: true }, "auto", undefined],
    ["AC-3, mode transcode", { codec: "ac3", channels: 6 }, "transcode", undefined],
    ["DTS", { codec: "dts", channels: 6 }, "auto", undefined]
  ])("%s → copied beside AAC, or not", (_, change, mode, codec) => {
    const { audio = [] } = ConversionPlan.toRenditions(
      ConversionPlan.make(withAudio({ profile: null, ...change }), mode)
    )
    const copies = audio.filter((one) => one.codec !== undefined)
    assert.deepStrictEqual(
      copies.map((one) => [one.codec, one.channels]),
      codec === undefined ? [] : [[codec, change.channels]]
    )
    if (change.channels !== 2)
      assert.deepStrictEqual(
        audio.slice(0, 2).map(({ channels }) => channels),
        [2, 6]
      )
  })

  it("one audio track → as a file without languages", () => {
    const plan = ConversionPlan.make(withAudio({ language: "de", title: "A" }), "auto")
    assert.deepStrictEqual(plan, ConversionPlan.make(media, "auto"))
    assert.notProperty(ConversionPlan.toPresentation(plan, media, "hls"), "audio")
  })

  it("tracks that all players support → copied, one rendition of the same size", () => {
    const plan = ConversionPlan.make(media, "auto")
    assert.deepStrictEqual(plan.video, { _tag: "Copy", index: 0 })
    assert.deepStrictEqual(plan.audio, { _tag: "Copy", index: 1 })
    assert.deepStrictEqual(plan.renditions, [
      { name: "1080p", width: 1920, height: 1080, frameRate: 30, bitrate: 4_128_000 }
    ])
  })

  it.each<[string, Partial<Video>]>([
    ["full-range colours", { pixelFormat: "yuvj420p" }],
    ["4K at level 5.1", { width: 3840, height: 2160, level: 51 }],
    ["only keyframes", { keyframeInterval: null }],
    ["an unknown frame rate", { frameRate: null }]
  ])("H.264 with %s → copied", (_, change) => {
    assert.strictEqual(ConversionPlan.make(withVideo(change), "auto").video._tag, "Copy")
  })

  it.each<[string, Partial<Video>]>([
    ["another codec", { codec: "hevc", profile: "Main" }],
    ["10 bits", { pixelFormat: "yuv420p10le", profile: "High 10" }],
    ["4:4:4", { pixelFormat: "yuv444p", profile: "High 4:4:4 Predictive" }],
    ["a level above 5.1", { level: 52 }],
    ["an unknown level", { level: null }],
    ["a rotation", { rotation: 90 }],
    ["non-square pixels", { squarePixels: false }],
    ["interlacing", { interlaced: true }],
    ["keyframes too far apart", { keyframeInterval: 30 }],
    ["a trimmed beginning", { isTrimmed: true }],
    ["a mirrored picture", { isMirrored: true }],
    ["HDR", { color: { ...unknownColor, transfer: "arib-std-b67" } }]
  ])("video with %s → video encoded, audio copied", (_, change) => {
    const plan = ConversionPlan.make(withVideo(change), "auto")
    assert.strictEqual(plan.video._tag, "Encode")
    assert.strictEqual(plan.audio._tag, "Copy")
  })

  it("container without frame times → video encoded", () => {
    assert.strictEqual(ConversionPlan.make({ ...media, container: "avi" }, "auto").video._tag, "Encode")
  })

  it.each<[string, Partial<Audio>, object]>([
    ["another codec", { codec: "opus", profile: null }, { channels: 2, sampleRate: 48_000, bitrate: 128_000 }],
    ["HE-AAC", { profile: "HE-AAC" }, { channels: 2, sampleRate: 48_000, bitrate: 128_000 }],
    ["six channels", { channels: 6 }, { channels: 2, sampleRate: 48_000, bitrate: 128_000 }],
    ["one channel of MP3", { codec: "mp3", channels: 1 }, { channels: 1, sampleRate: 48_000, bitrate: 64_000 }],
    ["44.1 kHz", { codec: "mp3", sampleRate: 44_100 }, { channels: 2, sampleRate: 44_100, bitrate: 128_000 }],
    ["8 kHz", { codec: "pcm_s16le", sampleRate: 8000 }, { channels: 2, sampleRate: 48_000, bitrate: 128_000 }]
  ])("audio with %s → audio encoded, video copied", (_, change, expected) => {
    const plan = ConversionPlan.make(withAudio(change), "auto")
    assert.strictEqual(plan.video._tag, "Copy")
    assert.deepStrictEqual<object>(plan.audio, { _tag: "Encode", index: 1, ...expected })
  })

  it("mode transcode → all tracks encoded", () => {
    const plan = ConversionPlan.make(media, "transcode")
    assert.deepStrictEqual([plan.video._tag, plan.audio._tag], ["Encode", "Encode"])
    assert.deepStrictEqual(names(plan), ["1080p", "720p", "480p", "360p", "240p"])
  })

  it("no audio or no video → no plan for it", () => {
    const silent = ConversionPlan.make({ ...media, audio: null }, "auto")
    assert.strictEqual(silent.audio._tag, "None")
    assert.strictEqual(silent.renditions[0].bitrate, 4_000_000)
    const sound = ConversionPlan.make({ ...media, video: null }, "auto")
    assert.strictEqual(sound.video._tag, "None")
    assert.deepStrictEqual(sound.renditions, [
      { name: "audio", width: null, height: null, frameRate: null, bitrate: 128_000 }
    ])
  })

  it("portrait video → renditions named by their shorter side", () => {
    const portrait = ConversionPlan.make(withVideo({ rotation: 90, width: 1080, height: 1920 }), "auto")
    assert.deepStrictEqual(names(portrait), ["1080p", "720p", "480p", "360p", "240p"])
    assert.deepStrictEqual(
      portrait.renditions.map(({ height, width }) => [width, height]),
      [
        [1080, 1920],
        [720, 1280],
        [480, 854],
        [360, 640],
        [240, 426]
      ]
    )
  })

  it.each([
    ["fewer than 10 frames per second", { frameRate: 4 }, "rare"],
    ["few frames at varying times", { frameRate: 4, isVariable: true }, "rare"],
    ["frames at varying times", { isVariable: true }, "variable"],
    ["30 frames per second", {}, "even"]
  ] as const)("encoded video with %s %j → timing %s", (_, change, timing) => {
    const { video: planned } = ConversionPlan.make(withVideo(change), "transcode")
    assert.deepInclude(planned, { _tag: "Encode", timing })
  })

  it("interlaced video at 120 frames per second → deinterlaced and limited to 60", () => {
    const plan = ConversionPlan.make(withVideo({ interlaced: true, frameRate: 120 }), "auto")
    if (plan.video._tag !== "Encode") return assert.fail("the video is not encoded")
    assert.isTrue(plan.video.deinterlace)
    assert.isTrue(plan.video.limitFrameRate)
    assert.strictEqual(plan.renditions[0].frameRate, 60)
    const ordinary = ConversionPlan.make(withVideo({ frameRate: 60 }), "transcode")
    if (ordinary.video._tag !== "Encode") return assert.fail("the video is not encoded")
    assert.isFalse(ordinary.video.deinterlace || ordinary.video.limitFrameRate)
  })

  it("copy of a video with unknown bitrate → bitrate of the file, or 0", () => {
    assert.strictEqual(ConversionPlan.make(withVideo({ bitrate: null }), "auto").renditions[0].bitrate, 4_200_000)
    const unknown = ConversionPlan.make({ ...withVideo({ bitrate: null }), bitrate: null, audio: null }, "auto")
    assert.strictEqual(unknown.renditions[0].bitrate, 0)
  })
})
