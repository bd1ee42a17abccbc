import { assert, describe, it } from "@effect/vitest"
import * as LadderPlaylists from "@holdfast/core/transcoding/LadderPlaylists"
import type { Presentation, Rendition } from "@holdfast/core/transcoding/Presentation"

const rendition = (lines: number, bitrate: number): Rendition => ({
  name: `${lines}p`,
  width: (lines * 16) / 9,
  height: lines,
  frameRate: 25,
  bitrate,
  peakBitrate: bitrate + 10,
  codecs: ["avc1.64001f"]
})

const media = [
  "#EXTM3U",
  "#EXT-X-TARGETDURATION:5",
  "#EXTINF:4.500000,",
  "index0.ts",
  "#EXTINF:2.000000,",
  "index1.ts",
  "#EXT-X-ENDLIST",
  ""
].join("\n")

const presentation = (format: "hls" | "dash"): Presentation => ({
  format,
  duration: 6.5,
  hasVideo: true,
  hasAudio: true,
  renditions: [rendition(720, 4_000_000)]
})

const lower = [rendition(360, 700_000), rendition(180, 200_000)]

const manifest = `<MPD><Period>
		<AdaptationSet id="0" contentType="video">
			<Representation id="0" bandwidth="4000000">
				<SegmentTemplate timescale="1000" presentationTimeOffset="50" media="chunk-$RepresentationID$-$Number$.m4s" startNumber="1">
					<SegmentTimeline>
						<S t="50" d="4000" r="1" />
						<S d="500" />
					</SegmentTimeline>
				</SegmentTemplate>
			</Representation>
		</AdaptationSet>
		<AdaptationSet id="1" contentType="audio">
			<Representation id="1" bandwidth="128000"></Representation>
		</AdaptationSet>
	</Period></MPD>`

describe("LadderPlaylists", () => {
  const hls = { presentation: presentation("hls"), playlists: new Map([["playlist.m3u8", media]]) }
  const dash = { presentation: presentation("dash"), playlists: new Map([["manifest.mpd", manifest]]) }

  it("durations: media playlist, or timeline with repetitions → seconds of each segment", () => {
    assert.deepStrictEqual(LadderPlaylists.durations(hls), [4.5, 2])
    assert.deepStrictEqual(LadderPlaylists.durations(dash), [4, 4, 0.5])
  })

  it("join: copy with a playlist of its keyframes → in the multivariant playlist, with its greatest bitrate", () => {
    const ranges = ["#EXTINF:4.500000,", "#EXT-X-BYTERANGE:4500@0", "index0.ts", "#EXTINF:2.000000,"]
    const keyframes = [...ranges, "#EXT-X-BYTERANGE:3000@0", "index1.ts", ""].join("\n")
    const playlists = new Map([...hls.playlists, ["iframes.m3u8", keyframes]])
    const text = LadderPlaylists.join({ ...hls, playlists }, lower).get("playlist.m3u8") ?? ""
    assert.deepStrictEqual(text.match(/^#EXT-X-I-FRAME-STREAM-INF:.*$/gm), [
      '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=12000,RESOLUTION=1280x720,CODECS="avc1.64001f",URI="iframes.m3u8"'
    ])
    assert.strictEqual(text.match(/^#EXT-X-STREAM-INF:/gm)?.length, 3)
  })

  it("join: media playlist → multivariant playlist that begins with the best variant that starts fast", () => {
    const joined = LadderPlaylists.join(hls, lower)
    assert.deepStrictEqual([...joined.keys()], ["720p.m3u8", "360p.m3u8", "180p.m3u8", "playlist.m3u8"])
    assert.strictEqual(joined.get("720p.m3u8"), media)
    assert.strictEqual(joined.get("180p.m3u8"), media.replaceAll("index", "180p/index"))
    assert.deepStrictEqual(joined.get("playlist.m3u8")?.match(/^\d+p\.m3u8$/gm), [
      "180p.m3u8",
      "720p.m3u8",
      "360p.m3u8"
    ])
  })

  it("join: multivariant playlist for captions and audio → all variants have them, with the bitrate of the audio", () => {
    const groups = ',AUDIO="audio",SUBTITLES="captions"'
    const entry = [
      "#EXTM3U",
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="English",DEFAULT=YES',
      `#EXT-X-STREAM-INF:BANDWIDTH=4100010,AVERAGE-BANDWIDTH=4100000,RESOLUTION=1280x720${groups}`,
      "720p.m3u8",
      ""
    ].join("\n")
    const playlists = new Map([
      ["playlist.m3u8", entry],
      ["720p.m3u8", media]
    ])
    const joined = LadderPlaylists.join({ presentation: presentation("hls"), playlists }, lower)
    const text = joined.get("playlist.m3u8") ?? ""
    assert.include(text, '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="English",DEFAULT=YES\n#EXT-X-STREAM-INF')
    const variants = [...text.matchAll(/^#EXT-X-STREAM-INF:BANDWIDTH=(\d+).*?((?:,AUDIO|,SUBTITLES).*)\n(.*)$/gm)]
    assert.deepStrictEqual(
      variants.map(([, bandwidth, attributes, uri]) => [Number(bandwidth), attributes, uri]),
      [
        [300_010, groups, "180p.m3u8"],
        [4_100_010, groups, "720p.m3u8"],
        [800_010, groups, "360p.m3u8"]
      ]
    )
    assert.strictEqual(joined.get("180p.m3u8"), media.replaceAll("index", "180p/index"))
  })

  it("join: multivariant playlist with a group of AC-3 → all variants in both groups, with their codecs and bitrates", () => {
    const tag = (bandwidth: number, codecs: string, group: string) =>
      `#EXT-X-STREAM-INF:BANDWIDTH=${bandwidth},AVERAGE-BANDWIDTH=4000000,RESOLUTION=1280x720,CODECS="${codecs}",AUDIO="${group}"`
    const entry = [
      "#EXTM3U",
      tag(4_100_010, "avc1.64001f,mp4a.40.2", "audio"),
      "720p.m3u8",
      tag(4_400_010, "avc1.64001f,ac-3", "ac-3"),
      "720p.m3u8",
      ""
    ].join("\n")
    const playlists = new Map([
      ["playlist.m3u8", entry],
      ["720p.m3u8", media]
    ])
    const joined = LadderPlaylists.join({ presentation: presentation("hls"), playlists }, lower)
    const text = joined.get("playlist.m3u8") ?? ""
    const variants = [...text.matchAll(/^#EXT-X-STREAM-INF:BANDWIDTH=(\d+)(.*),AUDIO="(.*)"\n(.*)$/gm)]
    assert.deepStrictEqual(
      variants.map(([, bandwidth, attributes = "", group, uri]) => [
        Number(bandwidth),
        /CODECS="(?!.*mp4a)[^"]*ac-3"/.test(attributes),
        group,
        uri
      ]),
      [
        [300_010, false, "audio", "180p.m3u8"],
        [4_100_010, false, "audio", "720p.m3u8"],
        [800_010, false, "audio", "360p.m3u8"],
        [600_010, true, "ac-3", "180p.m3u8"],
        [4_400_010, true, "ac-3", "720p.m3u8"],
        [1_100_010, true, "ac-3", "360p.m3u8"]
      ]
    )
  })

  it("join: manifest → representations beside that of the copy, with its times from 0", () => {
    const text = LadderPlaylists.join(dash, lower).get("manifest.mpd") ?? ""
    const [set = ""] = /<AdaptationSet id="0"[\s\S]*?<\/AdaptationSet>/.exec(text) ?? []
    assert.deepStrictEqual(set.match(/<Representation id="[^"]*"/g), [
      '<Representation id="0"',
      '<Representation id="360p"',
      '<Representation id="180p"'
    ])
    assert.strictEqual(set.match(/<S d="500" \/>/g)?.length, 3)
    assert.strictEqual(set.match(/<S t="0" d="4000" r="1" \/>/g)?.length, 2)
    assert.include(set, 'initialization="180p/init.m4s" media="180p/chunk$Number$.m4s" startNumber="1"')
  })
})
