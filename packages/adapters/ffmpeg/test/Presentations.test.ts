import { assert, layer, vi } from "@effect/vitest"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Requires from "@holdfast/testing/Requires"
import * as CheckedConversion from "@holdfast/testing/transcoding/contract/CheckedConversion"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import * as Files from "./support/Files.ts"
import * as Results from "./support/Results.ts"
import * as Samples from "./support/Samples.ts"
import * as Tools from "./support/Tools.ts"

// ffmpeg runs with a low priority and may take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const convert = (input: string, format: Format, mayShare = true) =>
  Effect.flatMap(directory, (output) => CheckedConversion.convert({ input, output, format, mayShare }))

Requires.requires(Tools.missing).describe("presentation", () => {
  layer(FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }), {
    excludeTestServices: true,
    timeout: "60 seconds"
  })((it) => {
    it.effect.each([["h264.mp4"], ["odd.webm"], ["uneven.webm"], ["one-frame.mp4"]] as const)(
      "DASH of %s → each segment can be decoded; the manifest has the renditions",
      ([sample]) =>
        Effect.gen(function* () {
          const { finished, output, playlists, segments } = yield* convert(Samples.path(sample), "dash")
          Results.decodeDash(output, segments, yield* directory)
          const manifest = playlists.get("manifest.mpd") ?? ""
          const shown = [...manifest.matchAll(/<Representation [^>]*width="(\d+)" height="(\d+)"/g)]
          assert.deepStrictEqual(
            shown.map(([, width, height]) => [Number(width), Number(height)]),
            finished.renditions.map(({ height, width }) => [width, height])
          )
          assert.match(manifest, /codecs="avc1\.[0-9a-f]{6}"/)
          assert.notInclude(manifest, "bitstreamSwitching")
          const bandwidths = [...manifest.matchAll(/ bandwidth="(\d+)"/g)].map(([, value]) => Number(value))
          const audio = finished.hasAudio ? (bandwidths.at(-1) ?? Infinity) : 0
          for (const [index, { bitrate }] of finished.renditions.entries()) {
            assert.isAtLeast((bandwidths[index] ?? 0) + audio, bitrate)
          }
          assert.strictEqual(manifest.match(/<AdaptationSet /g)?.length, finished.hasAudio ? 2 : 1)
        })
    )

    it.effect("keyframes of a few hundred bytes, DASH → found in each segment that is checked", () =>
      Effect.gen(function* () {
        const { segments } = yield* convert(Samples.path("tiny.mkv"), "dash")
        assert.strictEqual(segments.filter((name) => name.startsWith("chunk-0-")).length, 3)
      })
    )

    it.effect("multivariant playlist → resolution, frame rate, bandwidth and codecs of each rendition", () =>
      Effect.gen(function* () {
        const { finished, output, playlists } = yield* convert(Samples.path("mpeg4-480.mkv"), "hls")
        const lines = (playlists.get("playlist.m3u8") ?? "").split("\n").filter((line) => line.includes("STREAM-INF"))
        assert.strictEqual(lines.length, 3)
        assert.strictEqual(finished.renditions.length, 3)
        for (const { bitrate, height, name, width } of finished.renditions) {
          const line = lines.find((one) => one.includes(`RESOLUTION=${width}x${height},`)) ?? ""
          assert.include(line, "FRAME-RATE=10.000,")
          assert.include(line, `AVERAGE-BANDWIDTH=${bitrate},`)
          assert.isAtLeast(Number(/:BANDWIDTH=(\d+)/.exec(line)?.[1]), bitrate)
          const text = playlists.get(`${name}.m3u8`) ?? ""
          const [segment = ""] = CheckedConversion.uris(text)
          const report = Tools.run(Tools.ffprobe, [
            "-v",
            "error",
            "-show_streams",
            "-show_data",
            `${output}/${segment}`
          ])
          // The bytes of the first parameter set follow its start code and its type.
          const [, set] = /0000 0167 ([0-9a-f]{4} [0-9a-f]{2})/.exec(report.stdout) ?? []
          assert.include(line, `CODECS="avc1.${set?.replaceAll(" ", "")},mp4a.40.2"`)
        }
      })
    )

    it.effect("several audio tracks and captions → a rendition of each, also in the other format", () =>
      Effect.gen(function* () {
        const transcoder = yield* Transcoder
        const first = yield* convert(Samples.path("languages.mkv"), "hls", false)
        assert.deepStrictEqual(first.finished.audio, [
          { name: "audio0", label: "English", language: "en", channels: 1 },
          { name: "audio1", label: "Deutsch", language: "de", channels: 1 },
          { name: "audio2", label: "A <&b", language: "fr", channels: 2 },
          { name: "audio3", label: "A <&b 5.1", language: "fr", channels: 6 },
          { name: "audio4", label: "A <&b 5.1 AC-3", language: "fr", channels: 6, codec: "ac-3" }
        ])
        const text = first.playlists.get("playlist.m3u8") ?? ""
        assert.deepStrictEqual(
          text.split("\n").filter((line) => line.startsWith("#EXT-X-MEDIA:TYPE=AUDIO")),
          [
            'NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="1"',
            'NAME="Deutsch",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="1",URI="audio1.m3u8"',
            'NAME="A <&b",LANGUAGE="fr",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="2",URI="audio2.m3u8"',
            'NAME="A <&b 5.1",LANGUAGE="fr",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="6",URI="audio3.m3u8"'
          ]
            .map((attributes) => `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",${attributes}`)
            .concat(
              [
                'NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="1"',
                'NAME="Deutsch",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="1",URI="audio1.m3u8"',
                'NAME="A <&b",LANGUAGE="fr",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="6",URI="audio4.m3u8"'
              ].map((attributes) => `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="ac-3",${attributes}`)
            )
        )
        assert.deepStrictEqual(CheckedConversion.uris(text), ["108p.m3u8", "108p.m3u8"])
        assert.match(
          text,
          /CODECS="avc1\.\w{6},mp4a\.40\.2",AUDIO="audio",.*\n.*\n.*CODECS="avc1\.\w{6},ac-3",AUDIO="ac-3"/
        )
        const options = ["-v", "error", "-show_entries", "stream=codec_name,channels", "-of", "csv=p=0"]
        const tracksOf = (name: string) => [
          ...new Set(
            Tools.run(Tools.ffprobe, [...options, `${first.output}/${name}`])
              .stdout.trim()
              .split(/\s+/)
          )
        ]
        assert.deepStrictEqual(["index0.ts", ...[1, 2, 3, 4].map((index) => `audio${index}/index0.ts`)].map(tracksOf), [
          ["h264", "aac,1"],
          ["aac,1"],
          ["aac,2"],
          ["aac,6"],
          ["ac3,6"]
        ])
        const words = readFileSync(`${first.output}/captions0.vtt`, "utf8")
        assert.match(words, /^WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00\.000\n\n00:01\.\d{3} --> 00:02\.\d{3}\n/)
        assert.match(words, /<b>Hello<\/b>.*\n\n00:03\.\d{3} --> 00:05\.\d{3}\nSecond\n$/)
        assert.notInclude(words, "<script")
        assert.deepStrictEqual(first.finished.captions, [
          { name: "captions0", label: "English", language: "en" },
          { name: "captions1", label: "Tal", language: "sv" }
        ])
        assert.deepStrictEqual(first.finished.chapters, [
          { start: 0, title: 'The "first"' },
          { start: 2, title: null }
        ])
        assert.include(text, '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="Tal",LANGUAGE="sv",DEFAULT=NO')
        assert.include(text, ',AUDIO="audio",SUBTITLES="captions"')
        const manifestOf = (playlists: ReadonlyMap<string, string>) => playlists.get("manifest.mpd") ?? ""
        const audioSets = (manifest: string) =>
          [
            ...manifest.matchAll(
              /contentType="audio"[^>]*lang="(\w+)"[^>]*>\s*<Label>(.*)<\/Label>\s*<Role [^>]*value="(\w+)"/g
            )
          ].map(([, ...found]) => found)
        const expected = [
          ["en", "English", "main"],
          ["de", "Deutsch", "alternate"],
          ["fr", "A &lt;&amp;b", "alternate"],
          ["fr", "A &lt;&amp;b 5.1", "alternate"],
          ["fr", "A &lt;&amp;b 5.1 AC-3", "alternate"]
        ]
        const repackage = (source: Pick<typeof first, "finished" | "output">, to: Format) =>
          Effect.flatMap(directory, (output) =>
            CheckedConversion.follow(
              transcoder.repackage({ source: source.output, presentation: source.finished, output, format: to }),
              output
            )
          )
        const dash = yield* repackage(first, "dash")
        assert.deepStrictEqual(audioSets(manifestOf(dash.playlists)), expected)
        assert.deepStrictEqual(
          [...manifestOf(dash.playlists).matchAll(/mimeType="audio\/mp4" codecs="([^"]*)"/g)].map(([, codec]) => codec),
          ["mp4a.40.2", "mp4a.40.2", "mp4a.40.2", "mp4a.40.2", "ac-3"]
        )
        Results.decodeDash(dash.output, dash.segments, yield* directory)
        assert.match(
          manifestOf(dash.playlists),
          /mimeType="text\/vtt" lang="sv">[^]*<BaseURL>captions1\.vtt<\/BaseURL>/
        )
        const back = yield* repackage(dash, "hls")
        const media = (playlists: ReadonlyMap<string, string>) =>
          (playlists.get("playlist.m3u8") ?? "").match(/#EXT-X-MEDIA:.*/g)
        assert.deepStrictEqual(media(back.playlists), media(first.playlists))
        assert.strictEqual(readFileSync(`${back.output}/captions0.vtt`, "utf8"), words)
      })
    )

    it.effect("H.264 that all players support → copied, frame by frame", () =>
      Effect.gen(function* () {
        const { output, segments } = yield* convert(Samples.path("h264.mp4"), "hls")
        const whole = `${output}/whole.ts`
        Files.concatenate(
          segments.map((name) => `${output}/${name}`),
          whole
        )
        assert.deepStrictEqual(Results.pictures(whole), Results.pictures(Samples.path("h264.mp4")))
      })
    )

    it.effect("several renditions → their segments begin at the same keyframes: at 0, 1, 2 and 4 seconds", () =>
      Effect.gen(function* () {
        const { finished, output, playlists } = yield* convert(Samples.path("mpeg4-480.mkv"), "hls")
        const starts = ["480p.m3u8", "360p.m3u8"].map((name) =>
          CheckedConversion.uris(playlists.get(name) ?? "").map((uri) => {
            const { keys, startsWithKey, times } = Results.frames(`${output}/${uri}`)
            assert.isTrue(startsWithKey)
            assert.strictEqual(keys, 1)
            return times[0]
          })
        )
        assert.deepStrictEqual(starts[0], starts[1])
        const first = starts[0]?.[0] ?? 0
        assert.deepStrictEqual(
          starts[0]?.map((start) => Math.round(10 * ((start ?? 0) - first)) / 10),
          [0, 1, 2, 4]
        )
        const encoded = yield* convert(Samples.path("mpeg4-480.mkv"), "dash")
        const job = { source: output, presentation: finished, output: yield* directory, format: "dash" } as const
        const dash = yield* CheckedConversion.follow((yield* Transcoder).repackage(job), job.output)
        // Two sizes, and the audio.
        for (const { segments } of [encoded, dash]) {
          const counts = [0, 1, 3].map((id) => segments.filter((name) => name.startsWith(`chunk-${id}-`)).length)
          assert.deepStrictEqual(counts, [4, 4, 4])
        }
      })
    )

    it.effect("source with 120 frames per second → 60", () =>
      Effect.gen(function* () {
        const { output, segments } = yield* convert(Samples.path("fast.mkv"), "hls")
        const times = segments.flatMap((name) => Results.frames(`${output}/${name}`).times)
        assert.strictEqual(times.length, 3 * 60)
      })
    )

    it.effect("irregular frames → keep their times", () =>
      Effect.gen(function* () {
        const { output, segments } = yield* convert(Samples.path("uneven.webm"), "hls")
        const times = segments.flatMap((name) => Results.frames(`${output}/${name}`).times)
        assert.strictEqual(times.length, 24 + 16)
        const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
        assert.approximately(steps[0] ?? 0, 1 / 12, 0.011)
        assert.approximately(steps.at(-1) ?? 0, 3 / 12, 0.011)
      })
    )

    it.effect("gap in the timestamps → no frames are added, one keyframe per segment", () =>
      Effect.gen(function* () {
        const { output, playlists, segments } = yield* convert(Samples.path("gap.mkv"), "hls")
        const frames = segments.map((name) => Results.frames(`${output}/${name}`))
        assert.strictEqual(frames.flatMap(({ times }) => times).length, 72)
        assert.deepStrictEqual(
          frames.map(({ keys }) => keys),
          frames.map(() => 1)
        )
        assert.approximately(CheckedConversion.seconds(playlists.get("playlist.m3u8") ?? ""), 106, 0.2)
      })
    )
  })
})
