import { describe, expect } from "@effect/vitest"
import { Uploads } from "@holdfast/core/files/Uploads"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import type { ConversionClaim } from "@holdfast/core/conversions/ConversionClaim"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { Conversions } from "@holdfast/core/conversions/Conversions"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import { Streams } from "@holdfast/core/playback/Streams"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import { TranscoderControl } from "@holdfast/testing/transcoding/TranscoderControl"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import {
  blobsLeft,
  lasting,
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

const content = FakeMedia.make(lasting(40))

/** Acts like a worker that dies: claims a conversion, publishes one segment and uploads another. */
const claimAndDie = Effect.gen(function* () {
  const conversions = yield* ConversionRepository
  const store = yield* BlobStore
  const now = yield* DateTime.now
  const leaseUntil = DateTime.add(now, { milliseconds: 30 })
  const claim = Option.getOrThrow(yield* conversions.claim({ now, leaseUntil, sweepAt: now }))
  const segments = yield* Effect.forEach(["index0.ts", "index1.ts"], (name) => {
    const blobId = Sample.id("blb")
    return Effect.map(
      Effect.andThen(
        conversions.stage(claim, { blobIds: [blobId], now, leaseUntil: DateTime.add(now, { minutes: 1 }) }),
        store.put(BlobKey.make({ ...claim, blobId }), Stream.make(new Uint8Array(10)))
      ),
      (receipt) => ({ name, blobId, ...receipt })
    )
  })
  const publish = (self: ConversionClaim, isFinished: boolean) =>
    conversions.publish(self, {
      segments: segments.slice(isFinished ? 1 : 0, isFinished ? 2 : 1),
      playlists: [{ name: "playlist.m3u8", text: "the dead worker's" }],
      progress: 0.3,
      presentation: { format: "hls", duration: 9, hasVideo: true, hasAudio: false, renditions: [rendition] },
      isFinished,
      now,
      leaseUntil
    })
  yield* publish(claim, false)
  return { claim, finish: publish(claim, true) }
})

/** A transcoder whose runs of videos longer than 30 seconds wait at their beginning, and a record of suspensions. */
const holdingLongVideos = Effect.gen(function* () {
  const transcoder = yield* Transcoder
  const holdLong = yield* Latch.make(false)
  const suspensions: Array<boolean> = []
  const decorated = Transcoder.of({
    ...transcoder,
    convert: (job) => {
      const events = transcoder.convert(job)
      if ((job.media.duration ?? 0) < 30 || job.suspended === undefined) return events
      const recording = Stream.runForEach(SubscriptionRef.changes(job.suspended), (isSuspended) =>
        Effect.sync(() => suspensions.push(isSuspended))
      )
      return Stream.unwrap(
        Effect.as(
          Effect.forkScoped(recording),
          Stream.tap(events, () => holdLong.await)
        )
      )
    }
  })
  return { decorated, holdLong, suspensions }
})

const rendition = { name: "144p", width: 256, height: 144, frameRate: null, bitrate: 9 }

describe("ConversionWorker", () => {
  test(
    "other format is removed before its files are shared → the content is converted at once",
    Effect.gen(function* () {
      const { actor, ref } = yield* video(content)
      const [conversions, repository] = [yield* Conversions, yield* ConversionRepository]
      yield* conversions.request(actor, ref, "hls", { mode: "transcode" })
      const now = yield* DateTime.now
      const claim = Option.getOrThrow(yield* repository.claim({ now, leaseUntil: now, sweepAt: now }))
      yield* repository.publish(claim, {
        segments: [],
        playlists: [],
        progress: 1,
        presentation: {
          format: "hls",
          duration: 40,
          hasVideo: true,
          hasAudio: false,
          renditions: [rendition],
          isShared: true
        },
        isFinished: true,
        now,
        leaseUntil: now
      })
      yield* conversions.request(actor, ref, "dash", { mode: "transcode" })
      const removal = { bucket: ref, blobId: claim.blobId, format: "hls", sweepAt: now } as const
      const removing = ConversionRepository.of({
        ...repository,
        findReady: (wanted) => Effect.tap(repository.findReady(wanted), () => repository.remove(removal))
      })
      yield* Effect.provideService(startWorker(), ConversionRepository, removing)
      yield* reached(actor, ref, "READY", "dash")
      expect(yield* (yield* TranscoderControl).calls("convert")).toBe(1)
    })
  )

  test(
    "HLS requested soon after DASH has begun → DASH is released, and made from HLS",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video(content)
      const paused = yield* control.pauseAt(0.4)
      yield* startWorker({ concurrency: 2, lease: shortLease })
      yield* conversions.request(actor, ref, "dash")
      yield* paused.reached
      yield* until(record(actor, ref, "dash"), ({ progress }) => progress > 0)
      yield* conversions.request(actor, ref, "hls")
      yield* reached(actor, ref, "QUEUED", "dash")
      yield* until(control.running, (running) => running === 1)
      yield* paused.resume
      yield* reached(actor, ref, "READY")
      yield* reached(actor, ref, "READY", "dash")
      expect([yield* control.calls("convert"), yield* control.calls("repackage")]).toEqual([2, 1])
    })
  )

  test(
    "HLS requested when most of DASH is made → both are converted",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video(content)
      const paused = yield* control.pauseAt(1)
      yield* startWorker({ concurrency: 2 })
      yield* conversions.request(actor, ref, "dash")
      yield* paused.reached
      yield* until(record(actor, ref, "dash"), ({ progress }) => progress > 0.5)
      yield* conversions.request(actor, ref, "hls")
      yield* until(control.running, (running) => running === 2)
      yield* paused.resume
      yield* reached(actor, ref, "READY")
      yield* reached(actor, ref, "READY", "dash")
      expect([yield* control.calls("convert"), yield* control.calls("repackage")]).toEqual([2, 0])
    })
  )

  test(
    "worker died → another worker converts again; the former output is removed",
    Effect.gen(function* () {
      const { actor, ref } = yield* video(content)
      yield* (yield* Conversions).request(actor, ref, "hls")
      const dead = yield* claimAndDie
      expect(yield* record(actor, ref)).toMatchObject({
        state: "RUNNING",
        progress: 0.3,
        renditions: [{ name: "144p" }]
      })
      yield* startWorker()
      const ready = yield* reached(actor, ref, "READY")
      expect(ready.renditions).toMatchObject([{ name: "720p" }])
      // The former worker was only suspended: its publication changes nothing.
      expect(yield* tagOf(dead.finish)).toBe("LeaseLost")
      expect(yield* record(actor, ref)).toEqual(ready)
      const playlist = yield* (yield* Streams).open(actor, ref, "hls", "playlist.m3u8")
      expect(playlist._tag === "Playlist" && playlist.text).toContain("#EXT-X-ENDLIST")
      expect(yield* blobsLeft).toBe(12)
    })
  )

  test(
    "worker is shut down → conversion is QUEUED at once, without counting an attempt",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video(content)
      const half = yield* control.pauseAt(0.5)
      yield* conversions.request(actor, ref, "hls")
      for (const _ of [1, 2, 3, 4]) {
        yield* withWorker(until(control.running, (running) => running === 1))
        expect(yield* control.running).toBe(0)
        expect(yield* record(actor, ref)).toMatchObject({ state: "QUEUED", progress: 0, startedAt: null })
      }
      yield* half.resume
      yield* startWorker()
      yield* reached(actor, ref, "READY")
      expect(yield* blobsLeft).toBe(12)
    })
  )

  test(
    "lease is lost → the worker stops the run",
    Effect.gen(function* () {
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video(content)
      yield* control.pauseAt(0.5)
      yield* startWorker({ lease: shortLease })
      yield* (yield* Conversions).request(actor, ref, "hls")
      yield* until(control.running, (running) => running === 1)
      const far = DateTime.add(yield* DateTime.now, { hours: 1 })
      const stolen = yield* (yield* ConversionRepository).claim({ now: far, leaseUntil: far, sweepAt: far })
      expect(Option.isSome(stolen)).toBe(true)
      yield* until(control.running, (running) => running === 0)
      expect(yield* record(actor, ref)).toMatchObject({ state: "RUNNING" })
    })
  )

  test(
    "conversion takes longer than the lease → the lease is renewed",
    Effect.gen(function* () {
      const control = yield* TranscoderControl
      const repository = yield* ConversionRepository
      const { actor, ref } = yield* video(content)
      const half = yield* control.pauseAt(0.5)
      let renewals = 0
      const counting = ConversionRepository.of({
        ...repository,
        renew: (claim, leaseUntil) =>
          Effect.tap(repository.renew(claim, leaseUntil), () => Effect.sync(() => renewals++))
      })
      yield* Effect.provideService(startWorker({ lease: shortLease }), ConversionRepository, counting)
      yield* (yield* Conversions).request(actor, ref, "hls")
      yield* half.reached
      yield* until(
        Effect.sync(() => renewals),
        (count) => count >= 3
      )
      yield* half.resume
      yield* reached(actor, ref, "READY")
      expect(yield* control.calls("convert")).toBe(1)
    })
  )

  test(
    "content is replaced → the run stops; the new content has no conversion",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video(content)
      const half = yield* control.pauseAt(0.5)
      yield* startWorker({ lease: shortLease })
      yield* conversions.request(actor, ref, "hls")
      yield* half.reached
      yield* until(record(actor, ref), ({ progress }) => progress > 0)
      yield* (yield* Uploads).reupload(actor, ref, Stream.make(FakeMedia.make(lasting(12))))
      expect(yield* tagOf(conversions.get(actor, ref, "hls"))).toBe("StreamNotConverted")
      expect(yield* tagOf((yield* Streams).open(actor, ref, "hls", "index0.ts"))).toBe("StreamNotConverted")
      yield* until(control.running, (running) => running === 0)
      expect(yield* blobsLeft).toBe(1)
      yield* half.resume
      yield* conversions.request(actor, ref, "hls")
      yield* reached(actor, ref, "READY")
      expect(yield* blobsLeft).toBe(5)
    })
  )

  test(
    "transcoder is faster than the blob store → the first segments are public early",
    Effect.gen(function* () {
      const store = yield* BlobStore
      const streams = yield* Streams
      const { actor, ref } = yield* video(FakeMedia.make(lasting(400)))
      const stored = yield* Latch.make(false)
      let puts = 0
      const slow = BlobStore.of({
        ...store,
        put: (key, stream) =>
          puts++ < 40 ? store.put(key, stream) : Effect.andThen(stored.await, store.put(key, stream))
      })
      yield* (yield* Conversions).request(actor, ref, "hls")
      yield* Effect.provideService(startWorker(), BlobStore, slow)
      yield* until(
        Effect.sync(() => puts),
        (count) => count > 40
      )
      const playlist = yield* streams.open(actor, ref, "hls", "playlist.m3u8")
      const text = playlist._tag === "Playlist" ? playlist.text : ""
      const names = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
      expect(names.length).toBeGreaterThan(3)
      expect(names.length).toBeLessThan(100)
      expect(text).not.toContain("#EXT-X-ENDLIST")
      for (const name of names) {
        expect(yield* streams.open(actor, ref, "hls", name)).toMatchObject({ _tag: "Segment", state: "RUNNING" })
      }
      yield* stored.open
      yield* reached(actor, ref, "READY")
      // 100 segments, the content and the poster.
      expect(yield* blobsLeft).toBe(102)
    })
  )

  test(
    "concurrency 2 and four requests → two run at once",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const repository = yield* ConversionRepository
      const control = yield* TranscoderControl
      const half = yield* control.pauseAt(0.5)
      let [running, most] = [0, 0]
      const counting = ConversionRepository.of({
        ...repository,
        claim: (terms) =>
          Effect.tap(repository.claim(terms), (claim) =>
            Effect.sync(() => {
              if (Option.isSome(claim)) most = Math.max(most, ++running)
            })
          ),
        publish: (claim, publication) =>
          Effect.tap(repository.publish(claim, publication), () =>
            Effect.sync(() => {
              if (publication.isFinished) running--
            })
          )
      })
      const videos = yield* Effect.forEach([1, 2, 3, 4], () => video(content))
      yield* Effect.provideService(startWorker({ concurrency: 2 }), ConversionRepository, counting)
      for (const { actor, ref } of videos) yield* conversions.request(actor, ref, "hls")
      yield* until(control.running, (count) => count === 2)
      const states = yield* Effect.forEach(videos, ({ actor, ref }) => record(actor, ref))
      expect(states.map(({ state }) => state).toSorted()).toEqual(["QUEUED", "QUEUED", "RUNNING", "RUNNING"])
      yield* half.resume
      for (const { actor, ref } of videos) yield* reached(actor, ref, "READY")
      expect(most).toBe(2)
    })
  )

  test(
    "slice is over and another tenant waits → its conversion becomes READY while the long one is suspended",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const { decorated, holdLong, suspensions } = yield* holdingLongVideos
      const [long, short] = [yield* video(content), yield* video(FakeMedia.make(lasting(8)))]
      yield* Effect.provideService(startWorker({ slice: Duration.millis(1) }), Transcoder, decorated)
      yield* conversions.request(long.actor, long.ref, "hls")
      yield* until(record(long.actor, long.ref), ({ state }) => state === "RUNNING")
      yield* conversions.request(short.actor, short.ref, "hls")
      yield* reached(short.actor, short.ref, "READY")
      expect(suspensions).toContain(true)
      expect(yield* record(long.actor, long.ref)).toMatchObject({ state: "RUNNING" })
      yield* holdLong.open
      yield* reached(long.actor, long.ref, "READY")
      expect(yield* blobsLeft).toBe(12 + 4)
    })
  )

  test(
    "worker is shut down while a conversion is suspended → both are QUEUED at once",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const control = yield* TranscoderControl
      const { decorated, suspensions } = yield* holdingLongVideos
      const videos = [yield* video(content), yield* video(content)]
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.provideService(startWorker({ slice: Duration.millis(1) }), Transcoder, decorated)
          for (const { actor, ref } of videos) yield* conversions.request(actor, ref, "hls")
          yield* until(
            Effect.sync(() => suspensions.includes(true)),
            (isSuspended) => isSuspended
          )
        })
      )
      expect(yield* control.running).toBe(0)
      for (const { actor, ref } of videos) expect(yield* record(actor, ref)).toMatchObject({ state: "QUEUED" })
    })
  )
})
