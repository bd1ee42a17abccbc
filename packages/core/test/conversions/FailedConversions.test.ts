import { describe, expect } from "@effect/vitest"
import { MetadataError } from "@holdfast/core/MetadataError"
import { BlobError } from "@holdfast/core/storage/BlobError"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { Conversions } from "@holdfast/core/conversions/Conversions"
import { ConversionWorkspace, WorkspaceError } from "@holdfast/core/conversions/worker/ConversionWorkspace"
import { Streams } from "@holdfast/core/playback/Streams"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import { TranscoderControl } from "@holdfast/testing/transcoding/TranscoderControl"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
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

const content = FakeMedia.make(lasting(40))

describe("ConversionWorker: failures", () => {
  test(
    "transcoder fails because of the content → FAILED after one attempt, until the next request",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const streams = yield* Streams
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video(content)
      yield* startWorker()
      yield* control.failAt(0.5, "Failed", "The picture is damaged.")
      yield* conversions.request(actor, ref, "hls")
      const failed = yield* reached(actor, ref, "FAILED")
      expect(failed.error).toBe("The conversion failed. The picture is damaged.")
      expect(failed.finishedAt).not.toBeNull()
      expect(yield* control.calls("convert")).toBe(1)
      expect(yield* Effect.flip(streams.open(actor, ref, "hls", "playlist.m3u8"))).toMatchObject({
        _tag: "ConversionFailed",
        code: "conversion_failed",
        message: failed.error
      })
      expect(yield* blobsLeft).toBe(1)
      yield* clearFaults
      expect(yield* conversions.request(actor, ref, "hls")).toMatchObject({ state: "QUEUED", error: null })
      yield* reached(actor, ref, "READY")
      expect(yield* blobsLeft).toBe(12)
    })
  )

  test(
    "worker dies while it makes the storyboard of a READY video → the next one makes it, and the poster once",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const streams = yield* Streams
      const control = yield* TranscoderControl
      const transcoder = yield* Transcoder
      const begun = yield* Latch.make(false)
      const dying = { ...transcoder, storyboard: () => Effect.andThen(begun.open, Effect.never) }
      const { actor, ref } = yield* video(content)
      const open = streams.open(actor, ref, "hls", "storyboard.vtt")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.provideService(startWorker(), Transcoder, dying)
          yield* conversions.request(actor, ref, "hls")
          yield* begun.await
        })
      )
      expect(yield* record(actor, ref)).toMatchObject({ state: "READY" })
      expect(yield* tagOf(open)).toBe("NotFound")
      yield* (yield* ConversionRepository).expireLeases(yield* DateTime.now)
      yield* startWorker()
      yield* control.clear
      expect(yield* until(Effect.option(open), Option.isSome)).toMatchObject({ value: { _tag: "Playlist" } })
      expect(yield* control.calls("poster")).toBe(1)
    })
  )

  test(
    "copied tracks cannot be played → encoded at once, and FAILED if that fails, too",
    Effect.gen(function* () {
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video(content)
      yield* startWorker()
      yield* control.failAt(1, "NotCopyable")
      yield* (yield* Conversions).request(actor, ref, "hls")
      expect((yield* reached(actor, ref, "FAILED")).error).toBe("The tracks of the content cannot be copied.")
      expect(yield* control.calls("convert")).toBe(2)
    })
  )

  test(
    "content is not media → FAILED with NotAVideo",
    Effect.gen(function* () {
      const { actor, ref } = yield* video(new Uint8Array(1000), "data.bin")
      yield* startWorker()
      yield* (yield* Conversions).request(actor, ref, "hls")
      const failed = yield* reached(actor, ref, "FAILED")
      expect(failed.error).toBe("The content is neither video nor audio.")
      expect(yield* tagOf((yield* Streams).open(actor, ref, "hls", "playlist.m3u8"))).toBe("NotAVideo")
    })
  )

  test(
    "disk is full → FAILED after maxAttempts attempts",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const control = yield* TranscoderControl
      const { actor, ref } = yield* video(content)
      yield* control.fail("convert", "StorageFull")
      yield* startWorker()
      yield* conversions.request(actor, ref, "hls")
      const failed = yield* reached(actor, ref, "FAILED")
      expect(failed.error).toBe("There is not enough disk space for the conversion.")
      expect(yield* control.calls("convert")).toBe(3)
    })
  )

  test(
    "disk filled up to its reserve while the transcoder runs → FAILED with storage_full; space freed → READY",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const control = yield* TranscoderControl
      const workspaces = yield* ConversionWorkspace
      const { actor, ref } = yield* video(content)
      let isFull = true
      const full = Effect.fail(new WorkspaceError({ reason: "StorageFull", operation: "watch" }))
      const watched = ConversionWorkspace.of({
        make: Effect.map(workspaces.make, (workspace) => ({
          ...workspace,
          watch: Effect.suspend(() => (isFull ? full : Effect.never))
        }))
      })
      yield* control.pauseAt(0.5)
      yield* Effect.provideService(startWorker(), ConversionWorkspace, watched)
      yield* conversions.request(actor, ref, "hls")
      const failed = yield* reached(actor, ref, "FAILED")
      expect(failed.error).toBe("There is not enough disk space for the conversion.")
      isFull = false
      yield* clearFaults
      yield* conversions.request(actor, ref, "hls")
      yield* reached(actor, ref, "READY")
    })
  )

  test(
    "blob store fails once → the next attempt succeeds",
    Effect.gen(function* () {
      const conversions = yield* Conversions
      const store = yield* BlobStore
      const { actor, ref } = yield* video(content)
      let failures = 0
      const failing = BlobStore.of({
        ...store,
        put: (key, stream) =>
          failures++ === 0
            ? Effect.fail(new BlobError({ reason: "Unavailable", operation: "put" }))
            : store.put(key, stream)
      })
      yield* conversions.request(actor, ref, "hls")
      yield* Effect.provideService(startWorker(), BlobStore, failing)
      yield* reached(actor, ref, "READY")
      expect(yield* (yield* TranscoderControl).calls("convert")).toBe(2)
      expect(yield* blobsLeft).toBe(12)
    })
  )

  /** Claims the conversion as workers do that die: each claim expires at once. */
  const interrupt = Effect.fnUntraced(function* (times: number) {
    const conversions = yield* ConversionRepository
    for (let time = 0; time < times; time++) {
      const now = yield* DateTime.now
      expect(Option.isSome(yield* conversions.claim({ now, leaseUntil: now, sweepAt: now }))).toBe(true)
    }
  })

  test(
    "more workers died than maxAttempts → the conversion waits, and is READY",
    Effect.gen(function* () {
      const { actor, ref } = yield* video(content)
      yield* (yield* Conversions).request(actor, ref, "hls")
      yield* interrupt(10)
      yield* startWorker({ maxAttempts: 1 })
      yield* reached(actor, ref, "READY")
    })
  )

  test(
    "more workers died than maxInterruptions → FAILED without another run",
    Effect.gen(function* () {
      const { actor, ref } = yield* video(content)
      const control = yield* TranscoderControl
      yield* (yield* Conversions).request(actor, ref, "hls")
      yield* interrupt(3)
      yield* startWorker({ maxInterruptions: 2 })
      const failed = yield* reached(actor, ref, "FAILED")
      expect(failed.error).toContain("The conversion was interrupted too often")
      expect(yield* control.calls("probe")).toBe(0)
    })
  )

  test(
    "defect in the repository → the worker continues",
    Effect.gen(function* () {
      const { actor, ref } = yield* video(content)
      const repository = yield* ConversionRepository
      let claims = 0
      const broken = ConversionRepository.of({
        ...repository,
        claim: (terms) => (claims++ === 0 ? Effect.die("A bug.") : repository.claim(terms))
      })
      yield* Effect.provideService(startWorker(), ConversionRepository, broken)
      yield* (yield* Conversions).request(actor, ref, "hls")
      yield* reached(actor, ref, "READY")
      expect(claims).toBeGreaterThan(1)
    })
  )

  test(
    "publication fails → FAILED after maxAttempts attempts",
    Effect.gen(function* () {
      const { actor, ref } = yield* video(content)
      const repository = yield* ConversionRepository
      let publications = 0
      const failing = ConversionRepository.of({
        ...repository,
        publish: (claim, publication) =>
          publication.playlists.length === 0
            ? repository.publish(claim, publication)
            : Effect.andThen(
                Effect.sync(() => publications++),
                Effect.fail(new MetadataError({ reason: "Internal", operation: "publish" }))
              )
      })
      yield* Effect.provideService(startWorker(), ConversionRepository, failing)
      yield* (yield* Conversions).request(actor, ref, "hls")
      const failed = yield* reached(actor, ref, "FAILED")
      expect(failed.error).toBe("The conversion failed because of a server error, not because of the file.")
      expect(publications).toBe(3)
      expect(yield* blobsLeft).toBe(1)
    })
  )
})
