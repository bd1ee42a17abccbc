import { describe, expect } from "@effect/vitest"
import { Files } from "@holdfast/core/files/Files"
import { Conversions } from "@holdfast/core/conversions/Conversions"
import { Streams } from "@holdfast/core/playback/Streams"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import { TranscoderControl } from "@holdfast/testing/transcoding/TranscoderControl"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import {
  blobsLeft,
  lasting,
  owner,
  reached,
  record,
  shortLease,
  startWorker,
  tagOf,
  test,
  until,
  video,
  withWorker
} from "./support/Setup.ts"

describe("Conversions", () => {
  test(
    "request: ten at once → one conversion, which can be played when READY",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const streams = yield* Streams
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video()
      const requested = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () => conversions.request(actor, ref, "hls"),
        {
          concurrency: "unbounded"
        }
      )
      for (const one of requested)
        expect(one).toMatchObject({ format: "hls", state: "QUEUED", progress: 0, error: null })
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
      expect(yield* control.calls("convert")).toBe(1)

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
    "request: conversion is running → progress and first segments are public",
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
    "request: both formats → DASH is repackaged from HLS",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video()
      yield* conversions.request(actor, ref, "dash")
      yield* conversions.request(actor, ref, "hls")
      yield* startWorker({ concurrency: 2 })
      yield* reached(actor, ref, "READY", "dash")
      expect((yield* (yield* Streams).list(actor, ref)).map(({ format, state }) => [format, state])).toEqual([
        ["dash", "READY"],
        ["hls", "READY"]
      ])
      expect(yield* Effect.all([control.calls("probe"), control.calls("convert"), control.calls("repackage")])).toEqual(
        [1, 1, 1]
      )
      const manifest = yield* (yield* Streams).open(actor, ref, "dash", "manifest.mpd")
      expect(manifest).toMatchObject({ _tag: "Playlist", contentType: "application/dash+xml" })
    })
  )

  test(
    "request: second format of a long copied video → converted from the content, not repackaged",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const control = yield* TranscoderControl
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
        expect(yield* control.calls("repackage")).toBe(repackaged)
      }
      expect(yield* control.calls("convert")).toBe(3)
    })
  )

  test(
    "request: mode transcode after a copied conversion → converted from the content",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video()
      yield* startWorker()
      yield* conversions.request(actor, ref, "hls")
      yield* reached(actor, ref, "READY")
      yield* conversions.request(actor, ref, "dash", { mode: "transcode" })
      yield* reached(actor, ref, "READY", "dash")
      expect(yield* Effect.all([control.calls("convert"), control.calls("repackage")])).toEqual([2, 0])
    })
  )

  test(
    "cancel: conversion is running → it stops, and no blobs are left",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video(FakeMedia.make(lasting(40)))
      const half = yield* control.pauseAt(0.5)
      expect(yield* tagOf(conversions.cancel(actor, ref, "hls"))).toBe("StreamNotConverted")
      yield* conversions.request(actor, ref, "hls")
      yield* withWorker(
        Effect.gen(function* () {
          yield* half.reached
          yield* until(record(actor, ref), ({ progress }) => progress > 0)
          yield* conversions.cancel(actor, ref, "hls")
          yield* until(control.running, (running) => running === 0)
        }),
        { lease: shortLease }
      )
      expect(yield* tagOf(conversions.get(actor, ref, "hls"))).toBe("StreamNotConverted")
      expect(yield* blobsLeft).toBe(1)
    })
  )

  test(
    "request: no permission, no file, no content, no video, no transcoder → error",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const streams = yield* Streams
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video()
      const outsider = yield* owner
      expect(yield* tagOf(conversions.request(outsider.actor, ref, "hls"))).toBe("Forbidden")
      expect(yield* tagOf(conversions.get(outsider.actor, ref, "hls"))).toBe("Forbidden")
      expect(yield* tagOf(streams.list(outsider.actor, ref))).toBe("Forbidden")
      expect(yield* tagOf(conversions.cancel(outsider.actor, ref, "hls"))).toBe("Forbidden")
      expect(yield* tagOf(streams.open(outsider.actor, ref, "hls", "playlist.m3u8"))).toBe("Forbidden")
      expect(yield* tagOf(conversions.request(actor, { ...ref, fileId: "@none" }, "hls"))).toBe("NotFound")
      expect(yield* tagOf(conversions.get(actor, ref, "hls"))).toBe("StreamNotConverted")
      const reserved = yield* (yield* Files).reserve(actor, ref, { name: "later.mp4" })
      const later = { ...ref, fileId: reserved.id }
      expect(yield* tagOf(conversions.request(actor, later, "hls"))).toBe("ContentNotUploaded")
      expect(yield* streams.list(actor, later)).toEqual([])
      const text = yield* video(new TextEncoder().encode("only words"), "notes.txt")
      expect(yield* tagOf(conversions.request(text.actor, text.ref, "hls"))).toBe("NotAVideo")
      yield* control.setAvailable(false)
      expect(yield* tagOf(conversions.request(actor, ref, "hls"))).toBe("TranscoderUnavailable")
      expect(yield* streams.list(actor, ref)).toEqual([])
    })
  )
})
