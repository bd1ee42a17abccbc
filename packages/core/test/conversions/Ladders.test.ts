import { describe, expect } from "@effect/vitest"
import type { Actor } from "@holdfast/core/Actor"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { Conversions } from "@holdfast/core/conversions/Conversions"
import type { FileRef } from "@holdfast/core/files/FileRef"
import * as Ids from "@holdfast/core/Ids"
import { Streams } from "@holdfast/core/playback/Streams"
import { Settings } from "@holdfast/core/Settings"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import type { Media } from "@holdfast/core/transcoding/Media"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import { TranscoderControl } from "@holdfast/testing/transcoding/TranscoderControl"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import {
  blobsLeft,
  clearFaults,
  lasting,
  reached,
  record,
  startWorker,
  tagOf,
  test,
  until,
  video
} from "./support/Setup.ts"

const content = FakeMedia.make(lasting(10))
const in4k: Media = {
  ...lasting(10),
  video:
    FakeMedia.playable.video === null
      ? null
      : { ...FakeMedia.playable.video, width: 3840, height: 2160, bitrate: null },
  bitrate: null
}
const lower = ["480p", "360p", "240p"]
const atOnce = { ladderDelay: Duration.zero }

const names = (actor: Actor, ref: FileRef, format: "hls" | "dash" = "hls") =>
  Effect.map(record(actor, ref, format), ({ renditions }) => renditions.map(({ name }) => name))

const text = (actor: Actor, ref: FileRef, format: "hls" | "dash", name: string) =>
  Effect.flatMap(Streams, (streams) =>
    Effect.map(streams.open(actor, ref, format, name), (opened) => (opened._tag === "Playlist" ? opened.text : ""))
  )

describe("ladders", () => {
  test(
    "copy to HLS → READY with one rendition; then the lower ones join the multivariant playlist",
    Effect.gen(function* () {
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video(content)
      yield* (yield* Conversions).request(actor, ref, "hls")
      yield* startWorker({ ladderDelay: Duration.seconds(1) })
      yield* reached(actor, ref, "READY")
      const pause = yield* control.pauseAt(0.5)
      yield* pause.reached
      expect(yield* names(actor, ref)).toEqual(["720p"])
      const before = yield* text(actor, ref, "hls", "playlist.m3u8")
      expect(before).toContain("\nindex0.ts\n")
      yield* pause.resume
      yield* until(names(actor, ref), (found) => found.length > 1)
      expect(yield* names(actor, ref)).toEqual(["720p", ...lower])
      const entry = yield* text(actor, ref, "hls", "playlist.m3u8")
      expect(entry.match(/^\d+p\.m3u8$/gm)?.toSorted()).toEqual(
        ["720p", ...lower].map((name) => `${name}.m3u8`).toSorted()
      )
      expect(yield* text(actor, ref, "hls", "720p.m3u8")).toBe(before)
      for (const name of lower) {
        expect(yield* text(actor, ref, "hls", `${name}.m3u8`)).toBe(before.replaceAll("index", `${name}/index`))
        const segment = yield* (yield* Streams).open(actor, ref, "hls", `${name}/index2.ts`)
        expect(segment._tag).toBe("Segment")
      }
      expect(yield* blobsLeft).toBe(1 + 1 + 3 + 3 * 3)
      yield* (yield* Conversions).cancel(actor, ref, "hls")
      expect(yield* blobsLeft).toBe(1)
    })
  )

  test(
    "copies to both formats → DASH is made from the copy alone, and gets a ladder of its own with its segments",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const { actor, ref } = yield* video(content)
      yield* startWorker(atOnce)
      yield* conversions.request(actor, ref, "hls")
      yield* until(names(actor, ref), (found) => found.length > 1)
      yield* conversions.request(actor, ref, "dash")
      yield* reached(actor, ref, "READY", "dash")
      yield* until(names(actor, ref, "dash"), (found) => found.length > 1)
      expect(yield* names(actor, ref, "dash")).toEqual(["720p", ...lower])
      const manifest = yield* text(actor, ref, "dash", "manifest.mpd")
      expect(manifest.match(/<Representation id="[^"]+"/g)).toEqual(
        ["0", ...lower, "1"].map((id) => `<Representation id="${id}"`)
      )
      for (const name of ["init.m4s", "chunk1.m4s", "chunk3.m4s"]) {
        const segment = yield* (yield* Streams).open(actor, ref, "dash", `240p/${name}`)
        expect(segment._tag).toBe("Segment")
      }
      expect(yield* tagOf((yield* Streams).open(actor, ref, "dash", "240p/chunk4.m4s"))).toBe("NotFound")
      yield* blobsLeft
    })
  )

  /** Stores a packaged presentation as versions did that made one for each format, with a ladder that is due. */
  const packaged = Effect.fnUntraced(function* (format: "hls" | "dash") {
    const { actor, ref } = yield* video(content)
    yield* (yield* Conversions).request(actor, ref, format)
    const repository = yield* ConversionRepository
    const now = yield* DateTime.now
    const leaseUntil = DateTime.addDuration(now, Duration.minutes(1))
    const terms = { now, leaseUntil, sweepAt: leaseUntil }
    const claim = yield* until(repository.claim(terms), Option.isSome).pipe(Effect.flatMap(Effect.fromOption))
    const blobId = yield* Ids.make("blb")
    yield* repository.stage(claim, { blobIds: [blobId], now, leaseUntil })
    const key = BlobKey.make({ ...ref, blobId })
    const stored = yield* (yield* BlobStore).put(key, Stream.make(Uint8Array.of(1)))
    const rendition = { name: "720p", width: 1280, height: 720, frameRate: 25, bitrate: 2_600_000 }
    const playlist = [
      "#EXTM3U",
      ...[4, 4, 2].flatMap((seconds, index) => [`#EXTINF:${seconds}.000000,`, `index${index}.ts`]),
      ""
    ].join("\n")
    const timeline =
      '<SegmentTemplate timescale="1" startNumber="1"><SegmentTimeline><S t="0" d="4" r="1"/><S d="2"/></SegmentTimeline>'
    const manifest = `<Period><Representation id="0">${timeline}</SegmentTemplate></Representation></Period>`
    yield* repository.publish(claim, {
      segments: [{ name: "index.bin", blobId, ...stored }],
      playlists: [{ name: StreamFiles.entry(format), text: format === "hls" ? playlist : manifest }],
      progress: 1,
      presentation: { format, duration: 10, hasVideo: true, hasAudio: true, isPackaged: true, renditions: [rendition] },
      isFinished: true,
      ladderDueAt: now,
      now,
      leaseUntil: now
    })
    return { actor, ref }
  })

  for (const [format, playlist, segment] of [
    ["hls", "240p.m3u8", "240p/index2.ts"],
    ["dash", "manifest.mpd", "240p/chunk3.m4s"]
  ] as const) {
    test(
      `packaged presentation of an earlier version to ${format} → its ladder is encoded for this format alone`,
      Effect.gen(function* () {
        const { actor, ref } = yield* packaged(format)
        yield* startWorker(atOnce)
        yield* until(names(actor, ref, format), (found) => found.length > 1)
        expect(yield* names(actor, ref, format)).toEqual(["720p", ...lower])
        expect(yield* text(actor, ref, format, playlist)).toContain("240p/")
        const opened = yield* (yield* Streams).open(actor, ref, format, segment)
        expect(opened._tag).toBe("Segment")
        yield* blobsLeft
      })
    )
  }

  test(
    "ladder fails → the copy stays READY with one rendition, and nothing of the ladder is left",
    Effect.gen(function* () {
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video(content)
      yield* control.fail("ladder", "Failed")
      yield* startWorker(atOnce)
      yield* (yield* Conversions).request(actor, ref, "hls")
      yield* until(control.calls("ladder"), (calls) => calls > 0)
      yield* clearFaults
      const next = yield* video(content)
      yield* (yield* Conversions).request(next.actor, next.ref, "hls")
      yield* until(names(next.actor, next.ref), (found) => found.length > 1)
      expect(yield* record(actor, ref)).toMatchObject({ state: "READY", error: null, renditions: [{ name: "720p" }] })
      expect(yield* control.calls("ladder")).toBe(2)
    })
  )

  test(
    "no ladders by setting → the copy has one rendition, also after the worker has made the next conversion",
    Effect.gen(function* () {
      const control = yield* TranscoderControl
      const conversions = yield* Conversions
      const { actor, ref } = yield* video(content)
      yield* startWorker(atOnce)
      yield* conversions.request(actor, ref, "hls")
      yield* reached(actor, ref, "READY")
      const next = yield* video(content)
      yield* conversions.request(next.actor, next.ref, "hls")
      yield* reached(next.actor, next.ref, "READY")
      expect(yield* names(actor, ref)).toEqual(["720p"])
      expect(yield* control.calls("ladder")).toBe(0)
    }).pipe(Effect.updateService(Settings, (settings) => ({ ...settings, videoLadders: false })))
  )

  test(
    "4K by setting → a video that is encoded keeps its lines",
    Effect.gen(function* () {
      const { actor, ref } = yield* video(FakeMedia.make(in4k))
      yield* startWorker()
      yield* (yield* Conversions).request(actor, ref, "hls", { mode: "transcode" })
      yield* reached(actor, ref, "READY")
      expect(yield* names(actor, ref)).toEqual(["2160p", "1440p", "1080p", "720p", ...lower])
    }).pipe(Effect.updateService(Settings, (settings) => ({ ...settings, videoLines: 2160 as const })))
  )

  test(
    "mode transcode → no ladder: the conversion has its renditions",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const { actor, ref } = yield* video(content)
      yield* startWorker(atOnce)
      yield* conversions.request(actor, ref, "hls", { mode: "transcode" })
      yield* reached(actor, ref, "READY")
      const next = yield* video(content)
      yield* conversions.request(next.actor, next.ref, "hls")
      yield* until(names(next.actor, next.ref), (found) => found.length > 1)
      expect(yield* (yield* TranscoderControl).calls("ladder")).toBe(1)
    })
  )
})
