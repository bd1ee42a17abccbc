/**
 * The contract of `ConversionRepository` for conversions that share the files of the other format.
 */
import { expect } from "@effect/vitest"
import type { ConversionClaim } from "@holdfast/core/conversions/ConversionClaim"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { DamageRepository } from "@holdfast/core/integrity/DamageRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import { UsageRepository } from "@holdfast/core/usage/UsageRepository"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as ConversionFixtures from "./ConversionFixtures.ts"

const { share, sharedPresentation: presentation, sweepAt } = ConversionFixtures

const names = ["tracks.json", "init-0.m4s", "chunk-0-1.m4s", "chunk-1-1.m4s"]

const stateOf = (blobId: string) => Effect.map(Fixtures.blob(blobId), (row) => row?.state)

/** Makes a shared presentation READY, and claims the conversion to the other format. */
const owned = Effect.fnUntraced(function* (format: Format = "hls", more: ReadonlyArray<string> = []) {
  const conversions = yield* ConversionRepository
  const made = yield* ConversionFixtures.claimed(format)
  const segments = yield* ConversionFixtures.stage(made.claim, [...names, ...more])
  const playlists = [
    { name: "playlist.m3u8", text: "index0.ts" },
    { name: "manifest.mpd", text: "<MPD/>" },
    { name: "storyboard.vtt", text: "WEBVTT" }
  ]
  const finished = { isFinished: true, progress: 1, presentation: presentation(format) }
  const publication = ConversionFixtures.publication({ segments, playlists, ...finished })
  yield* conversions.publish(made.claim, { ...publication, picturesDueAt: Sample.at(50_000) })
  yield* ConversionFixtures.request(made, format === "hls" ? "dash" : "hls")
  const sharer = yield* ConversionFixtures.claimNext()
  const find = (claim: ConversionClaim, name: string) =>
    Effect.map(
      conversions.findStreamFile({
        bucket: made.bucket,
        selector: Fixtures.byId(made.file.id),
        format: claim.format,
        name
      }),
      ({ found }) => found
    )
  return { ...made, sharer, segments, find }
})

/** Makes both conversions READY with the same files. */
const shared = Effect.fnUntraced(function* (format: Format = "hls", more: ReadonlyArray<string> = []) {
  const made = yield* owned(format, more)
  yield* share(made.sharer, made.claim.conversionId)
  return made
})

const usageOf = ({ bucketId, tenantId }: { bucketId: string; tenantId: string }) =>
  Effect.flatMap(UsageRepository, (usage) => usage.ofBucket({ bucketId, tenantId }))

export const sharedContract = (it: It): void => {
  it.effect("findReady: shared presentation → its conversion, without a list of its files", () =>
    Effect.gen(function* () {
      const { claim, sharer } = yield* owned()
      const found = yield* (yield* ConversionRepository).findReady(sharer)
      expect(Option.getOrThrow(found)).toEqual({
        conversionId: claim.conversionId,
        mode: "auto",
        presentation: presentation("hls"),
        segments: [],
        storyboard: null
      })
      yield* ConversionFixtures.failPending
    })
  )

  for (const format of ["hls", "dash"] as const) {
    it.effect(`publish: files of a shared presentation to ${format} → those of both, counted once`, () =>
      Effect.gen(function* () {
        const { bucket, claim, find, segments, sharer } = yield* owned(format)
        const before = yield* usageOf(bucket)
        yield* share(sharer, claim.conversionId)
        expect(yield* usageOf(bucket)).toEqual(before)
        const [hls, dash] = format === "hls" ? [claim, sharer] : [sharer, claim]
        const [tracks, init, chunk] = segments.map(({ blobId, sha256, size }) => ({ blobId, sha256, size }))
        expect(yield* find(hls, "playlist.m3u8")).toEqual({ _tag: "Playlist", text: "index0.ts" })
        expect(yield* find(dash, "manifest.mpd")).toEqual({ _tag: "Playlist", text: "<MPD/>" })
        expect(yield* find(dash, "init-0.m4s")).toEqual({ _tag: "Segment", ...init, damaged: false })
        expect(yield* find(dash, "chunk-0-1.m4s")).toEqual({ _tag: "Segment", ...chunk, damaged: false })
        expect(yield* find(hls, "index0.ts")).toEqual({ _tag: "Shared", tracks, damaged: false })
        expect(yield* find(hls, "720p/index7.ts")).toEqual({ _tag: "Shared", tracks, damaged: false })
        // A worker is to make the poster of the one whose files these are.
        for (const one of [hls, dash]) expect(yield* find(one, "poster.jpg")).toEqual({ _tag: "Pending" })
        const conversions = yield* ConversionRepository
        for (const { conversionId } of [hls, dash]) {
          const found = yield* conversions.findSegments(conversionId, [
            "chunk-1-1.m4s",
            "chunk-0-1.m4s",
            "chunk-0-2.m4s"
          ])
          const ordered = found.toSorted((one, other) => (one.name < other.name ? -1 : 1))
          expect(ordered).toMatchObject(segments.slice(2))
          expect(ordered.some(({ damaged }) => damaged)).toBe(false)
        }
      })
    )
  }

  it.effect("findStreamFile: H.265 beside a shared presentation → its index, and for audio the tracks", () =>
    Effect.gen(function* () {
      const { bucket, claim, find, segments, sharer, source } = yield* shared("hls", ["hevc.bin"])
      const blobs = segments.map(({ blobId, sha256, size }) => ({ blobId, sha256, size }))
      const [tracks, index] = [blobs[0], blobs.at(-1)]
      for (const one of [claim, sharer]) {
        for (const name of ["hevc/init.m4s", "hevc/chunk3.m4s"]) {
          expect(yield* find(one, name)).toEqual({ _tag: "Packaged", index, damaged: false, contentDamaged: false })
        }
        expect(yield* find(one, "hevc-audio0/chunk1.m4s")).toEqual({ _tag: "Shared", tracks, damaged: false })
      }
      const blob = { ...bucket, blobId: source.blobId }
      yield* (yield* DamageRepository).record({ blob, kind: "Missing", at: Sample.at() })
      expect(yield* find(claim, "hevc/chunk3.m4s")).toEqual({
        _tag: "Packaged",
        index,
        damaged: false,
        contentDamaged: true
      })
    })
  )

  it.effect("publish: shared conversion was removed → LeaseLost", () =>
    Effect.gen(function* () {
      const { bucket, claim, sharer, source } = yield* owned()
      const conversions = yield* ConversionRepository
      expect(yield* conversions.remove({ bucket, blobId: source.blobId, format: "hls", sweepAt })).toBe(true)
      expect(yield* Effect.flip(share(sharer, claim.conversionId))).toMatchObject({ _tag: "LeaseLost" })
      yield* ConversionFixtures.failPending
    })
  )

  it.effect("remove: the one that shares → the other keeps its files", () =>
    Effect.gen(function* () {
      const { bucket, claim, find, segments, source } = yield* shared()
      const conversions = yield* ConversionRepository
      const before = yield* usageOf(bucket)
      expect(yield* conversions.remove({ bucket, blobId: source.blobId, format: "dash", sweepAt })).toBe(true)
      expect(yield* find(claim, "playlist.m3u8")).toMatchObject({ _tag: "Playlist" })
      expect(yield* stateOf(segments[2]?.blobId ?? "")).toBe("READY")
      expect(yield* usageOf(bucket)).toEqual(before)
    })
  )

  it.effect("remove: at the same time as the files are shared → the other has all of them, or LeaseLost", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      // The removal begins so many statements after the publication: before, during and after its transaction.
      for (const later of [0, 1, 2, 3, 4, 8]) {
        const { bucket, claim, segments, sharer, source } = yield* owned()
        const before = yield* usageOf(bucket)
        const wait = Effect.forEach(Array.from({ length: later }), () => usageOf(bucket), { discard: true })
        const remove = conversions.remove({ bucket, blobId: source.blobId, format: "hls", sweepAt })
        const [published, isRemoved] = yield* Effect.all(
          [Effect.exit(share(sharer, claim.conversionId)), Effect.andThen(wait, remove)],
          { concurrency: "unbounded" }
        )
        expect(isRemoved).toBe(true)
        const found = yield* conversions.findSegments(sharer.conversionId, names)
        if (Exit.isSuccess(published)) {
          expect(found).toHaveLength(segments.length)
          expect(yield* usageOf(bucket)).toEqual(before)
        } else {
          expect(Exit.findErrorOption(published)).toMatchObject({ value: { _tag: "LeaseLost" } })
          expect(found).toEqual([])
          expect((yield* usageOf(bucket)).streamBytes).toBe(0)
        }
        const state = Exit.isSuccess(published) ? "READY" : "DOOMED"
        for (const { blobId } of segments) expect(yield* stateOf(blobId)).toBe(state)
        yield* ConversionFixtures.failPending
      }
    })
  )

  it.effect("remove: both at the same time, with files of several transactions → nothing is left", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, segments, source } = yield* shared(
        "hls",
        Array.from({ length: 1100 }, (_, index) => `chunk-0-${index + 2}.m4s`)
      )
      const removals = (["hls", "dash"] as const).map((format) =>
        conversions.remove({ bucket, blobId: source.blobId, format, sweepAt })
      )
      expect(yield* Effect.all(removals, { concurrency: "unbounded" })).toEqual([true, true])
      expect(yield* conversions.listByContent(bucket, source.blobId)).toEqual([])
      expect((yield* usageOf(bucket)).streamBytes).toBe(0)
      const states = (yield* Fixtures.blobsOf(bucket)).map(({ state }) => state)
      expect(states.filter((state) => state === "READY")).toHaveLength(1)
      expect(states.filter((state) => state === "DOOMED")).toHaveLength(segments.length)
    })
  )

  // With more files than one transaction moves, too.
  for (const count of [0, 700]) {
    it.effect(
      `remove: the one with ${names.length + count} files → the other inherits them, and they are removed with it`,
      () =>
        Effect.gen(function* () {
          const more = Array.from({ length: count }, (_, index) => `chunk-0-${index + 2}.m4s`)
          const { bucket, file, find, segments, sharer, source } = yield* shared("hls", more)
          const conversions = yield* ConversionRepository
          const before = yield* usageOf(bucket)
          expect(yield* conversions.remove({ bucket, blobId: source.blobId, format: "hls", sweepAt })).toBe(true)
          expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([{ id: sharer.conversionId }])
          expect(yield* find(sharer, "manifest.mpd")).toEqual({ _tag: "Playlist", text: "<MPD/>" })
          expect(yield* find(sharer, "poster.jpg")).toEqual({ _tag: "Pending" })
          const all = yield* conversions.findSegments(
            sharer.conversionId,
            segments.map(({ name }) => name)
          )
          expect(all.length).toBe(segments.length)
          for (const { blobId } of [segments[0], segments.at(-1)].filter((segment) => segment !== undefined)) {
            expect(yield* stateOf(blobId)).toBe("READY")
          }
          expect(yield* usageOf(bucket)).toEqual(before)

          // Requested again, it shares the files of its heir.
          yield* ConversionFixtures.request({ bucket, source })
          const again = yield* ConversionFixtures.claimNext()
          yield* share(again, sharer.conversionId)
          expect(yield* find(again, "index0.ts")).toMatchObject({ _tag: "Shared" })

          yield* ConversionFixtures.replaceContent(bucket, file.id)
          yield* (yield* BlobRepository).forget([source.blobId])
          expect((yield* usageOf(bucket)).streamBytes).toBe(0)
          expect(yield* stateOf(segments[2]?.blobId ?? "")).toBe("DOOMED")
        })
    )
  }

  it.effect("replaceDamaged: segment of a shared presentation → both are QUEUED again, DASH waits for HLS", () =>
    Effect.gen(function* () {
      const { bucket, claim, find, segments, sharer, source } = yield* shared()
      const conversions = yield* ConversionRepository
      const blobId = segments[2]?.blobId ?? ""
      yield* (yield* DamageRepository).record({ blob: { ...bucket, blobId }, kind: "Missing", at: Sample.at() })
      expect(yield* find(sharer, "chunk-0-1.m4s")).toMatchObject({ damaged: true })
      expect(yield* conversions.findSegments(claim.conversionId, ["chunk-0-1.m4s"])).toMatchObject([{ damaged: true }])
      const [id, sharerId] = [Sample.id("cnv"), Sample.id("cnv")]
      expect(yield* conversions.replaceDamaged({ blobId, id, sharerId, now: Sample.at(200), sweepAt })).toBe(true)
      expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
        { id: sharerId, format: "dash", state: "QUEUED", presentation: null },
        { id, format: "hls", state: "QUEUED", presentation: null }
      ])
      expect(yield* stateOf(blobId)).toBe("DOOMED")
      expect(yield* ConversionFixtures.claimNext(200)).toMatchObject({ conversionId: id, format: "hls" })
      expect(Option.isNone(yield* ConversionFixtures.claimAt(200))).toBe(true)
      yield* ConversionFixtures.failPending
    })
  )
}
