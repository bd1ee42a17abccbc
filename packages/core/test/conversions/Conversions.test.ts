import { describe, expect } from "@effect/vitest"
import { Files } from "@holdfast/core/files/Files"
import { Conversions } from "@holdfast/core/conversions/Conversions"
import { Streams } from "@holdfast/core/playback/Streams"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import { TranscoderControl } from "@holdfast/testing/transcoding/TranscoderControl"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import {
  blobsLeft,
  lasting,
  owner,
  reached,
  record,
  startWorker,
  test,
  until,
  video,
  withWorker
} from "./support/Setup.ts"

const tagOf = <A, E extends { readonly _tag: string }, R>(self: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(self), ({ _tag }) => _tag)

describe("conversions", () => {
  test(
    "ten requests at once make one conversion, which then plays",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const streams = yield* Streams
      const script = yield* TranscoderControl
      const { actor, ref } = yield* video()
      const asked = yield* Effect.forEach(Array.from({ length: 10 }), () => conversions.request(actor, ref, "hls"), {
        concurrency: "unbounded"
      })
      for (const one of asked) expect(one).toMatchObject({ format: "hls", state: "QUEUED", progress: 0, error: null })
      yield* startWorker({ concurrency: 3 })
      const ready = yield* reached(actor, ref, "READY")
      expect(ready).toMatchObject({
        progress: 1,
        error: null,
        renditions: [{ name: "720p", width: 1280, height: 720, bitrate: 2_600_000 }]
      })
      expect(ready.finishedAt).not.toBeNull()
      expect(yield* conversions.request(actor, ref, "hls")).toEqual(ready)
      expect(yield* streams.list(actor, ref)).toEqual([ready])
      expect(yield* script.calls("convert")).toBe(1)

      const playlist = yield* streams.open(actor, ref, "hls", "playlist.m3u8")
      expect(playlist).toMatchObject({ _tag: "Playlist", state: "READY", contentType: "application/vnd.apple.mpegurl" })
      expect(playlist._tag === "Playlist" && playlist.text).toContain("index2.ts\n#EXT-X-ENDLIST")
      const segment = yield* streams.open(actor, ref, "hls", "index2.ts")
      if (segment._tag !== "Segment") return expect.unreachable()
      const bytes = Buffer.concat(yield* Stream.runCollect(segment.read()))
      expect(bytes.length).toBe(segment.size)
      expect(bytes.toString("latin1")).toContain("segment 2 of 720p")
      expect(yield* tagOf(streams.open(actor, ref, "hls", "index3.ts"))).toBe("NotFound")
      expect(yield* tagOf(streams.open(actor, ref, "hls", "../index2.ts"))).toBe("NotFound")
      expect(yield* tagOf(streams.open(actor, ref, "dash", "manifest.mpd"))).toBe("StreamNotConverted")
      expect(yield* blobsLeft).toBe(5)
    })
  )

  test(
    "early segments play while it runs, and progress is seen",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const streams = yield* Streams
      const { actor, ref } = yield* video(FakeMedia.make(lasting(40)))
      const half = yield* (yield* TranscoderControl).pauseAt(0.5)
      yield* startWorker()
      yield* conversions.request(actor, ref, "hls")
      yield* half.reached
      const running = yield* until(record(actor, ref), ({ progress }) => progress > 0.4)
      expect(running).toMatchObject({
        state: "RUNNING",
        progress: 0.5,
        finishedAt: null,
        renditions: [{ name: "720p" }]
      })
      const playlist = yield* streams.open(actor, ref, "hls", "playlist.m3u8")
      expect(playlist._tag === "Playlist" && playlist.text.match(/index\d+\.ts/g)).toHaveLength(5)
      expect(yield* streams.open(actor, ref, "hls", "index4.ts")).toMatchObject({ _tag: "Segment" })
      expect(yield* tagOf(streams.open(actor, ref, "hls", "index5.ts"))).toBe("StreamNotReady")
      yield* half.resume
      yield* reached(actor, ref, "READY")
      expect(yield* streams.open(actor, ref, "hls", "index9.ts")).toMatchObject({ _tag: "Segment" })
    })
  )

  test(
    "the second format is made from the first, without a look at the content",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const script = yield* TranscoderControl
      const { actor, ref } = yield* video()
      yield* conversions.request(actor, ref, "dash")
      yield* conversions.request(actor, ref, "hls")
      yield* startWorker({ concurrency: 2 })
      yield* reached(actor, ref, "READY", "dash")
      expect((yield* (yield* Streams).list(actor, ref)).map(({ format, state }) => [format, state])).toEqual([
        ["dash", "READY"],
        ["hls", "READY"]
      ])
      expect(yield* Effect.all([script.calls("probe"), script.calls("convert"), script.calls("repackage")])).toEqual([
        1, 1, 1
      ])
      const manifest = yield* (yield* Streams).open(actor, ref, "dash", "manifest.mpd")
      expect(manifest).toMatchObject({ _tag: "Playlist", contentType: "application/dash+xml" })
    })
  )

  test(
    "a long one that was copied is copied from the content once more, which costs less",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const script = yield* TranscoderControl
      yield* startWorker()
      for (const [seconds, repackaged] of [
        [800, 1],
        [1000, 1]
      ] as const) {
        const { actor, ref } = yield* video(FakeMedia.make(lasting(seconds)))
        yield* conversions.request(actor, ref, "hls")
        yield* reached(actor, ref, "READY")
        yield* conversions.request(actor, ref, "dash")
        yield* reached(actor, ref, "READY", "dash")
        expect(yield* script.calls("repackage")).toBe(repackaged)
      }
      expect(yield* script.calls("convert")).toBe(3)
    })
  )

  test(
    "one that has to be encoded anew is not made from one that was copied",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const script = yield* TranscoderControl
      const { actor, ref } = yield* video()
      yield* startWorker()
      yield* conversions.request(actor, ref, "hls")
      yield* reached(actor, ref, "READY")
      yield* conversions.request(actor, ref, "dash", { mode: "transcode" })
      yield* reached(actor, ref, "READY", "dash")
      expect(yield* Effect.all([script.calls("convert"), script.calls("repackage")])).toEqual([2, 0])
    })
  )

  test(
    "one that is cancelled stops, and leaves nothing",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const script = yield* TranscoderControl
      const { actor, ref } = yield* video(FakeMedia.make(lasting(40)))
      const half = yield* script.pauseAt(0.5)
      expect(yield* tagOf(conversions.cancel(actor, ref, "hls"))).toBe("StreamNotConverted")
      yield* conversions.request(actor, ref, "hls")
      yield* withWorker(
        Effect.gen(function* () {
          yield* half.reached
          yield* until(record(actor, ref), ({ progress }) => progress > 0)
          yield* conversions.cancel(actor, ref, "hls")
          yield* until(script.running, (running) => running === 0)
        }),
        { lease: Duration.millis(60) }
      )
      expect(yield* tagOf(conversions.get(actor, ref, "hls"))).toBe("StreamNotConverted")
      expect(yield* blobsLeft).toBe(1)
    })
  )

  test(
    "what cannot be asked for is told at once",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const streams = yield* Streams
      const script = yield* TranscoderControl
      const { actor, ref } = yield* video()
      const stranger = yield* owner
      expect(yield* tagOf(conversions.request(stranger.actor, ref, "hls"))).toBe("Forbidden")
      expect(yield* tagOf(conversions.get(stranger.actor, ref, "hls"))).toBe("Forbidden")
      expect(yield* tagOf(streams.list(stranger.actor, ref))).toBe("Forbidden")
      expect(yield* tagOf(conversions.cancel(stranger.actor, ref, "hls"))).toBe("Forbidden")
      expect(yield* tagOf(streams.open(stranger.actor, ref, "hls", "playlist.m3u8"))).toBe("Forbidden")
      expect(yield* tagOf(conversions.request(actor, { ...ref, fileId: "@none" }, "hls"))).toBe("NotFound")
      expect(yield* tagOf(conversions.get(actor, ref, "hls"))).toBe("StreamNotConverted")
      const reserved = yield* (yield* Files).reserve(actor, ref, { name: "later.mp4" })
      const later = { ...ref, fileId: reserved.id }
      expect(yield* tagOf(conversions.request(actor, later, "hls"))).toBe("ContentNotUploaded")
      expect(yield* streams.list(actor, later)).toEqual([])
      const text = yield* video(new TextEncoder().encode("only words"), "notes.txt")
      expect(yield* tagOf(conversions.request(text.actor, text.ref, "hls"))).toBe("NotAVideo")
      yield* script.setAvailable(false)
      expect(yield* tagOf(conversions.request(actor, ref, "hls"))).toBe("TranscoderUnavailable")
      expect(yield* streams.list(actor, ref)).toEqual([])
    })
  )
})
