import { assert, describe, it } from "@effect/vitest"
import * as Bitrates from "@holdfast/core/transcoding/Bitrates"
import * as Manifest from "../../src/internal/output/Manifest.ts"
import * as MediaPlaylist from "../../src/internal/output/MediaPlaylist.ts"
import * as MultivariantPlaylist from "@holdfast/core/transcoding/MultivariantPlaylist"
import * as TransportStream from "../../src/internal/output/TransportStream.ts"

describe("MediaPlaylist", () => {
  it("entries: media playlist → segments with their durations", () => {
    const text =
      "#EXTM3U\n#EXT-X-VERSION:6\n#EXTINF:4.000000,\nindex0.ts\n#EXTINF:2.5,title\n720p/index1.ts\n#EXT-X-ENDLIST\n"
    assert.deepStrictEqual(MediaPlaylist.entries(text), [
      { uri: "index0.ts", duration: 4 },
      { uri: "720p/index1.ts", duration: 2.5 }
    ])
    assert.deepStrictEqual(MediaPlaylist.entries("#EXTM3U\n"), [])
  })

  it("withTarget: short segments first → target duration of the later ones", () => {
    const text = (target: number) => `#EXTM3U\n#EXT-X-TARGETDURATION:${target}\n#EXTINF:1.000000,\nindex0.ts\n`
    assert.strictEqual(MediaPlaylist.withTarget(text(1), 4), text(4))
    assert.strictEqual(MediaPlaylist.withTarget(text(7), 4), text(7))
  })
})

describe("MultivariantPlaylist", () => {
  it("render: variants → known attributes; BANDWIDTH is at least the average", () => {
    const picture = { name: "720p", width: 1280, height: 720, frameRate: 29.97, bitrate: 2_000_000 }
    const sound = { name: "audio", width: null, height: null, frameRate: null, bitrate: 100_000 }
    const text = MultivariantPlaylist.render([
      { rendition: picture, uri: "720p.m3u8", peakBitrate: 3_000_000, codecs: ["avc1.64001f", "mp4a.40.2"] },
      { rendition: sound, uri: "audio.m3u8", peakBitrate: 90_000, codecs: [] }
    ])
    assert.deepStrictEqual(text.split("\n"), [
      "#EXTM3U",
      "#EXT-X-VERSION:6",
      "#EXT-X-INDEPENDENT-SEGMENTS",
      '#EXT-X-STREAM-INF:BANDWIDTH=3000000,AVERAGE-BANDWIDTH=2000000,RESOLUTION=1280x720,FRAME-RATE=29.970,CODECS="avc1.64001f,mp4a.40.2"',
      "720p.m3u8",
      "#EXT-X-STREAM-INF:BANDWIDTH=100000,AVERAGE-BANDWIDTH=100000",
      "audio.m3u8",
      ""
    ])
  })
})

describe("MultivariantPlaylist.audioGroups", () => {
  const one = (label: string, channels: number, codec?: "ac-3" | "ec-3") => ({
    uri: `${label}.m3u8`,
    rendition: { name: "audio1", label, language: null, channels, ...(codec === undefined ? undefined : { codec }) }
  })

  it("audioGroups: copies of surround sound → groups of the same labels, with stereo where there is no copy", () => {
    const groups = MultivariantPlaylist.audioGroups([
      one("English", 2),
      one("English 5.1", 6),
      one("English 5.1 AC-3", 6, "ac-3"),
      one("Deutsch", 1),
      one("Suomi", 2),
      one("Suomi 5.1", 6),
      one("Suomi 7.1 E-AC-3", 8, "ec-3")
    ])
    assert.deepStrictEqual(
      groups.map(({ audio, id }) => [
        id,
        audio.map(({ rendition, uri }) => [rendition.label, rendition.channels, uri])
      ]),
      [
        [
          "audio",
          [
            ["English", 2, "English.m3u8"],
            ["English 5.1", 6, "English 5.1.m3u8"],
            ["Deutsch", 1, "Deutsch.m3u8"],
            ["Suomi", 2, "Suomi.m3u8"],
            ["Suomi 5.1", 6, "Suomi 5.1.m3u8"]
          ]
        ],
        [
          "ac-3",
          [
            ["English", 6, "English 5.1 AC-3.m3u8"],
            ["Deutsch", 1, "Deutsch.m3u8"],
            ["Suomi", 2, "Suomi.m3u8"]
          ]
        ],
        [
          "ec-3",
          [
            ["English", 2, "English.m3u8"],
            ["Deutsch", 1, "Deutsch.m3u8"],
            ["Suomi", 8, "Suomi 7.1 E-AC-3.m3u8"]
          ]
        ]
      ]
    )
  })

  it("audioGroups: no audio to choose → one group without renditions, which no playlist names", () => {
    const groups = MultivariantPlaylist.audioGroups([])
    assert.deepStrictEqual(
      groups.map(({ audio }) => audio.length),
      [0]
    )
  })
})

describe("MultivariantPlaylist.startFirst", () => {
  const variant = (name: string, peakBitrate: number) => ({
    rendition: { name, width: 1, height: 1, frameRate: null, bitrate: peakBitrate },
    uri: name,
    peakBitrate,
    codecs: []
  })
  const order = (...rates: ReadonlyArray<number>) =>
    MultivariantPlaylist.startFirst(rates.map((rate) => variant(String(rate), rate))).map(({ uri }) => Number(uri))

  it.each([
    [[5_000_000, 2_700_000, 1_400_000, 600_000, 400_000], 600_000],
    [[5_000_000, 2_700_000], 2_700_000],
    [[500_000, 400_000], 500_000]
  ])("%j → begins with %d, then the best first", (rates, first) => {
    assert.deepStrictEqual(order(...rates), [first, ...rates.filter((rate) => rate !== first)])
  })
})

describe("Bitrates", () => {
  const segment = (duration: number, bytes: number) => ({ duration, bytes })

  it("measure: a last segment of one frame → counts with the one before it", () => {
    assert.deepStrictEqual(Bitrates.measure([segment(4, 4000), segment(4, 4000), segment(0.04, 400)]), {
      duration: 8.04,
      average: Math.round((8 * 8400) / 8.04),
      peak: Math.round((8 * 4400) / 4.04)
    })
  })

  it("measure: short segments → the peak of those that last half of the longest one together", () => {
    const { peak } = Bitrates.measure([segment(4, 1000), segment(1, 900), segment(1, 900), segment(1, 100)])
    assert.strictEqual(peak, (8 * 1800) / 2)
  })

  it("measure: none, or without a duration → finite", () => {
    assert.deepStrictEqual(Bitrates.measure([]), { duration: 0, average: 0, peak: 0 })
    assert.isTrue(Number.isFinite(Bitrates.measure([segment(0, 100)]).peak))
  })
})

describe("Manifest", () => {
  const timeline = (timescale: number, lines: string) =>
    `<SegmentTemplate timescale="${timescale}" media="x">\n\t<SegmentTimeline>\n${lines}\n</SegmentTimeline></SegmentTemplate>`
  const text = `<MPD mediaPresentationDuration="PT0.0S">${timeline(1000, '<S t="40" d="4000" r="1" />\n<S d="1500" />')}${timeline(48_000, '<S t="0" d="480000" />')}</MPD>`

  it("duration: several timelines → end of the longest one", () => {
    assert.strictEqual(Manifest.duration(text), 10)
    assert.strictEqual(Manifest.duration(timeline(1000, '<S t="40" d="4000" r="1" />\n<S d="1500" />')), 9.54)
    assert.strictEqual(Manifest.duration("<MPD></MPD>"), 0)
  })

  it("correct: very short duration → rounded up, never zero", () => {
    const correct = (duration: number) => Manifest.correct(text, { duration, bandwidths: [], audio: [], captions: [] })
    assert.include(correct(9.54), 'mediaPresentationDuration="PT9.540S"')
    assert.include(correct(0.0001), '"PT0.001S"')
  })

  const representation = (id: number, lines: string) =>
    `<AdaptationSet bitstreamSwitching="true" par="16:9"><Representation id="${id}" codecs="avc1" bandwidth="7" width="2">${timeline(1000, lines)}</Representation></AdaptationSet>`
  const both = representation(0, '<S t="40" d="4000" r="1" />\n<S d="1500" />') + representation(1, '<S d="500" />')

  it("extend: seconds of further segments → behind those of this representation alone", () => {
    const extended = Manifest.extend(both, 0, [4, 1.25])
    assert.deepStrictEqual(Manifest.segmentDurations(extended, 0), [4, 4, 1.5, 4, 1.25])
    assert.deepStrictEqual(Manifest.segmentDurations(extended, 1), [0.5])
    assert.strictEqual(Manifest.extend(both, 0, []), both)
    assert.strictEqual(Manifest.extend(both, 2, [4]), both)
  })

  it("segmentDurations: id of a representation → seconds of each of its segments", () => {
    assert.deepStrictEqual(Manifest.segmentDurations(both, 0), [4, 4, 1.5])
    assert.deepStrictEqual(Manifest.segmentDurations(both, 1), [0.5])
    assert.deepStrictEqual(Manifest.segmentDurations(both, 2), [])
  })

  it("correct: representations → their bandwidths, no bitstreamSwitching", () => {
    const corrected = Manifest.correct(both, { duration: 9.5, bandwidths: [1000, 200], audio: [], captions: [] })
    assert.include(corrected, '<Representation id="0" codecs="avc1" bandwidth="1000" width="2">')
    assert.include(corrected, '<Representation id="1" codecs="avc1" bandwidth="200" width="2">')
    assert.notInclude(corrected, "bitstreamSwitching")
  })

  it("correct: maxSegmentDuration → that of the longest segment", () => {
    const manifest = `<MPD maxSegmentDuration="PT277H46M40.0S" minBufferTime="PT8.0S">${both}</MPD>`
    const corrected = Manifest.correct(manifest, { duration: 9.5, bandwidths: [], audio: [], captions: [] })
    assert.include(corrected, '<MPD maxSegmentDuration="PT4.000S" minBufferTime="PT8.0S">')
  })

  it("correct: AC-3 and E-AC-3 → the names that players know", () => {
    const audio = (codecs: string) => `<Representation id="1" mimeType="audio/mp4" codecs="${codecs}" bandwidth="1">`
    const corrected = Manifest.correct(`${audio("mp4a.a5")}${audio("mp4a.a6")}${audio("mp4a.40.2")}`, {
      duration: 1,
      bandwidths: [],
      audio: [],
      captions: []
    })
    assert.deepStrictEqual(
      [...corrected.matchAll(/codecs="([^"]*)"/g)].map(([, codec]) => codec),
      ["ac-3", "ec-3", "mp4a.40.2"]
    )
  })
})

describe("TransportStream", () => {
  const packet = (id: number, payload: ReadonlyArray<number>, adaptation = 0) => {
    const bytes = Buffer.alloc(188, 0xff)
    bytes.set([0x47, id >> 8, id & 0xff, adaptation === 0 ? 0x10 : 0x30])
    if (adaptation > 0) bytes[4] = adaptation
    bytes.set(payload, adaptation === 0 ? 4 : 5 + adaptation)
    return bytes
  }
  const videoStart = [0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0]
  const parameters = [0, 0, 0, 1, 0x67, 0x64, 0x00, 0x1f]

  it("videoCodec: audio and video packets → profile and level of the video", () => {
    const sound = packet(0x101, [0, 0, 1, 0xc0, 0, 0, 1, 0x67, 1, 2, 3])
    const video = packet(0x100, [...videoStart, ...parameters], 7)
    assert.strictEqual(TransportStream.videoCodec(Buffer.concat([sound, video])), "avc1.64001f")
  })

  it("videoCodec: parameter set spans two packets → found", () => {
    const [first, second] = [parameters.slice(0, 6), parameters.slice(6)]
    const filled = [
      ...videoStart,
      ...Array.from({ length: 184 - videoStart.length - first.length }, () => 0xaa),
      ...first
    ]
    const stream = Buffer.concat([packet(0x100, filled), packet(0x101, [9]), packet(0x100, second)])
    assert.strictEqual(TransportStream.videoCodec(stream), "avc1.64001f")
  })

  it("videoCodec: no H.264 → undefined", () => {
    assert.isUndefined(TransportStream.videoCodec(new Uint8Array()))
    assert.isUndefined(TransportStream.videoCodec(Buffer.alloc(1000)))
    assert.isUndefined(TransportStream.videoCodec(packet(0x100, videoStart)))
  })
})
