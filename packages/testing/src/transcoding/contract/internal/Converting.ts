/**
 * The contract of `convert`: presentations in both formats.
 */
import { assert } from "@effect/vitest"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Effect from "effect/Effect"
import * as CheckedConversion from "../CheckedConversion.ts"
import { directory, SampleFiles, type Samples, type Tester } from "../Samples.ts"

const formats: ReadonlyArray<readonly [Format]> = [["hls"], ["dash"]]
const kinds: ReadonlyArray<readonly [kind: "silent" | "audio", format: Format]> = [
  ["silent", "hls"],
  ["silent", "dash"],
  ["audio", "hls"],
  ["audio", "dash"]
]

const convert = (kind: keyof Samples, format: Format, mode: "auto" | "transcode" = "auto") =>
  Effect.gen(function* () {
    const input = (yield* SampleFiles)[kind]
    return yield* CheckedConversion.convert({ input, output: yield* directory, format, mode })
  })

/** Checks a finished media playlist (RFC 8216). */
const assertComplete = (text: string, duration: number): void => {
  assert.isTrue(text.startsWith("#EXTM3U\n"))
  assert.include(text, "#EXT-X-PLAYLIST-TYPE:EVENT\n")
  assert.isTrue(text.endsWith("#EXT-X-ENDLIST\n"))
  assert.approximately(CheckedConversion.seconds(text), duration, 0.25)
  const [, target] = /#EXT-X-TARGETDURATION:(\d+)\n/.exec(text) ?? []
  const longest = Math.max(...[...text.matchAll(/#EXTINF:([\d.]+)/g)].map(([, seconds]) => Number(seconds)))
  assert.isAtMost(Math.round(longest), Number(target))
}

export const register = (it: Tester): void => {
  it.effect("convert: supported video to HLS → one rendition, one playlist", () =>
    Effect.gen(function* () {
      const { finished, media, playlists, segments } = yield* convert("playable", "hls")
      assert.strictEqual(finished.renditions.length, 1)
      assert.deepStrictEqual([...playlists.keys()], ["playlist.m3u8"])
      const text = playlists.get("playlist.m3u8") ?? ""
      assertComplete(text, media.duration ?? 0)
      assert.deepStrictEqual(CheckedConversion.uris(text), segments)
      assert.deepStrictEqual(
        segments,
        segments.map((_, index) => `index${index}.ts`)
      )
      assert.deepStrictEqual(
        finished.renditions.map(({ height, width }) => [width, height]),
        [[media.video?.width ?? null, media.video?.height ?? null]]
      )
    })
  )

  it.effect("convert: unsupported video to HLS → several renditions under a multivariant playlist", () =>
    Effect.gen(function* () {
      const { finished, media, playlists, segments } = yield* convert("foreign", "hls")
      assert.isAtLeast(finished.renditions.length, 2)
      assert.deepStrictEqual(
        CheckedConversion.uris(playlists.get("playlist.m3u8") ?? "").toSorted(),
        finished.renditions.map(({ name }) => `${name}.m3u8`).toSorted()
      )
      assert.strictEqual(playlists.size, finished.renditions.length + 1)
      for (const [rank, rendition] of finished.renditions.entries()) {
        const text = playlists.get(`${rendition.name}.m3u8`) ?? ""
        assertComplete(text, media.duration ?? 0)
        const folder = rank === 0 ? "" : `${rendition.name}/`
        assert.deepStrictEqual(
          CheckedConversion.uris(text),
          CheckedConversion.uris(text).map((_, index) => `${folder}index${index}.ts`)
        )
        for (const uri of CheckedConversion.uris(text)) assert.include(segments, uri)
      }
    })
  )

  it.effect.each(formats)("convert: mode transcode to %s → audio and video", ([format]) =>
    Effect.gen(function* () {
      const { finished } = yield* convert("playable", format, "transcode")
      assert.strictEqual(finished.format, format)
      assert.isTrue(finished.hasVideo && finished.hasAudio)
    })
  )

  it.effect("convert: supported video to DASH → initialization segments and numbered segments", () =>
    Effect.gen(function* () {
      const { finished, media, playlists, segments } = yield* convert("playable", "dash")
      assert.deepStrictEqual([...playlists.keys()], ["manifest.mpd"])
      const text = playlists.get("manifest.mpd") ?? ""
      assert.include(text, 'type="static"')
      assert.approximately(Number(/PT([\d.]+)S"/.exec(text)?.[1]), media.duration ?? 0, 0.25)
      assert.strictEqual(finished.renditions.length, 1)
      for (const id of [0, 1]) {
        assert.include(segments, StreamFiles.init(id))
        const chunks = segments.filter((name) => name.startsWith(`chunk-${id}-`))
        assert.isNotEmpty(chunks)
        assert.deepStrictEqual(
          chunks,
          chunks.map((_, index) => StreamFiles.chunk(id, index + 1))
        )
      }
    })
  )

  it.effect.each(kinds)("convert: %s sample to %s → only that track", ([kind, format]) =>
    Effect.gen(function* () {
      const { finished, media, started } = yield* convert(kind, format)
      assert.strictEqual(finished.hasVideo, kind === "silent")
      assert.strictEqual(finished.hasAudio, kind === "audio")
      assert.approximately(finished.duration ?? 0, media.duration ?? 0, 0.25)
      assert.deepStrictEqual(
        started.renditions.map(({ name }) => name),
        finished.renditions.map(({ name }) => name)
      )
      if (kind === "audio") assert.strictEqual(finished.renditions[0].name, "audio")
    })
  )

  it.effect.each(formats)("convert: content is cut off (%s) → Failed, with the reason in the message", ([format]) =>
    Effect.gen(function* () {
      const { cut } = yield* SampleFiles
      const output = yield* directory
      const error = yield* Effect.flip(CheckedConversion.convert({ input: cut, output, format }))
      assert.strictEqual(error.reason, "Failed")
      assert.strictEqual(error.code, "conversion_failed")
      assert.include(error.message, "cut off")
      assert.notInclude(error.message, output)
    })
  )
}
