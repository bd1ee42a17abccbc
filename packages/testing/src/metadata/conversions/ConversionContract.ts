/**
 * What `ConversionRepository` promises to those who ask for conversions and read them.
 */
import { expect } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Conversions from "./Conversions.ts"
import type { It } from "../Metadata.ts"
import * as Sample from "../Sample.ts"
import * as World from "../World.ts"

const stateOf = (blobId: string) => Effect.map(World.blob(blobId), (row) => row?.state)

export const conversionContract = (it: It): void => {
  it.effect("ten who ask at once get one conversion, and so does who asks later in another mode", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, source } = yield* Conversions.video
      const asked = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () => conversions.request(bucket, source, Conversions.wanted(), Sample.at()),
        { concurrency: "unbounded" }
      )
      const [first] = asked
      expect(first).toEqual({
        id: first?.id,
        format: "hls",
        mode: "auto",
        state: "QUEUED",
        progress: 0,
        presentation: null,
        fault: null,
        startedAt: null,
        finishedAt: null
      })
      for (const one of asked) expect(one).toEqual(first)
      const later = yield* conversions.request(bucket, source, Conversions.wanted("hls", "transcode"), Sample.at(5))
      expect(later).toEqual(first)
      const dash = yield* conversions.request(bucket, source, Conversions.wanted("dash"), Sample.at())
      expect(yield* conversions.ofContent(bucket, source.blobId)).toEqual([dash, first])
    })
  )

  it.effect("another tenant, bucket or file sees none and asks for none", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const made = yield* Conversions.video
      yield* Conversions.ask(made)
      const other = yield* World.bucket()
      const { blobId } = made.source
      for (const ref of [
        { ...made.bucket, tenantId: other.tenantId },
        { ...made.bucket, bucketId: other.bucketId }
      ]) {
        const asking = conversions.request(ref, made.source, Conversions.wanted("dash"), Sample.at())
        expect(yield* Effect.flip(asking)).toMatchObject({ _tag: "NotFound", resource: "file" })
        expect(yield* conversions.ofContent(ref, blobId)).toEqual([])
        expect(yield* conversions.remove(ref, blobId, "hls", Conversions.doom)).toBe(false)
        const looking = conversions.findStreamFile(ref, World.byId(made.file.id), "hls", "index0.ts")
        expect(yield* Effect.flip(looking)).toMatchObject({ _tag: "NotFound", resource: "file" })
      }
      const foreign = { fileId: Sample.id("fil"), blobId }
      const asking = conversions.request(made.bucket, foreign, Conversions.wanted("dash"), Sample.at())
      expect(yield* Effect.flip(asking)).toMatchObject({ _tag: "NotFound" })
      expect(yield* conversions.ofContent(made.bucket, blobId)).toHaveLength(1)
    })
  )

  it.effect("a look tells how far the conversion is, and finds what it has published", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, file } = yield* Conversions.claimed()
      const look = (name: string, format: "hls" | "dash" = "hls") =>
        conversions.findStreamFile(bucket, World.byId(file.id), format, name)
      const none = { _tag: "None" }
      expect(yield* look("manifest.mpd", "dash")).toEqual({ fileId: file.id, conversion: null, found: none })
      const running = { id: claim.conversionId, state: "RUNNING", fault: null }
      expect(yield* look("index0.ts")).toEqual({ fileId: file.id, conversion: running, found: none })
      const [segment] = yield* Conversions.publish(claim, ["index0.ts"])
      const { blobId, sha256, size } = segment ?? { blobId: "", sha256: "", size: 0 }
      const found = { _tag: "Segment", blobId, size, sha256 }
      expect(yield* look("index0.ts")).toEqual({ fileId: file.id, conversion: running, found })
      yield* Conversions.publish(claim, ["index1.ts"], { isFinished: true, progress: 1 })
      expect(yield* look("playlist.m3u8")).toEqual({
        fileId: file.id,
        conversion: { id: claim.conversionId, state: "READY", fault: null },
        found: { _tag: "Playlist", text: "index1.ts" }
      })
      const empty = yield* World.reserve(bucket)
      const looking = conversions.findStreamFile(bucket, World.byId(empty.id), "hls", "index0.ts")
      expect(yield* Effect.flip(looking)).toMatchObject({ _tag: "ContentNotUploaded" })
      const missing = conversions.findStreamFile(bucket, World.byId(Sample.id("fil")), "hls", "index0.ts")
      expect(yield* Effect.flip(missing)).toMatchObject({ _tag: "NotFound" })
    })
  )

  it.effect("one that is removed is gone with its segments, and its worker has lost it", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* Conversions.claimed()
      const [segment] = yield* Conversions.publish(claim, ["index0.ts"])
      expect(yield* conversions.remove(bucket, source.blobId, "hls", Conversions.doom)).toBe(true)
      expect(yield* conversions.remove(bucket, source.blobId, "hls", Conversions.doom)).toBe(false)
      expect(yield* conversions.ofContent(bucket, source.blobId)).toEqual([])
      expect(yield* stateOf(segment?.blobId ?? "")).toBe("DOOMED")
      expect(yield* World.isDue(segment?.blobId ?? "", Conversions.doom.sweepAt)).toBe(true)
      expect(yield* Effect.flip(conversions.renew(claim, Sample.at(9)))).toMatchObject({ _tag: "ClaimLost" })
      // The same content asked for again is another conversion, which the old worker cannot touch.
      yield* Conversions.ask({ bucket, source })
      const next = yield* Conversions.take()
      expect(next.conversionId).not.toBe(claim.conversionId)
      expect(yield* Effect.flip(Conversions.staged(claim, ["index0.ts"]))).toMatchObject({ _tag: "ClaimLost" })
    })
  )

  it.effect("a content that is replaced takes its conversions with it", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const files = yield* FileRepository
      const blobs = yield* BlobRepository
      const { bucket, claim, file, source } = yield* Conversions.claimed()
      const [segment] = yield* Conversions.publish(claim, ["index0.ts"], { isFinished: true })
      yield* Conversions.ask({ bucket, source }, "dash")
      const fresh = Sample.content(yield* World.stage(bucket))
      yield* files.replaceContent(bucket, file.id, fresh, {}, Conversions.doom)
      // The new content has none, and the old one's are worked on no more.
      const look = yield* conversions.findStreamFile(bucket, World.byId(file.id), "hls", "index0.ts")
      expect(look.conversion).toBeNull()
      expect(yield* conversions.claim(Sample.at(99), Sample.at(99), Conversions.doom)).toEqual(Option.none())
      const asking = conversions.request(bucket, source, Conversions.wanted(), Sample.at())
      expect(yield* Effect.flip(asking)).toMatchObject({ _tag: "NotFound" })
      expect(yield* stateOf(segment?.blobId ?? "")).toBe("READY")
      // They go when the old bytes have gone.
      yield* blobs.forget([source.blobId])
      expect(yield* conversions.ofContent(bucket, source.blobId)).toEqual([])
      expect(yield* stateOf(segment?.blobId ?? "")).toBe("DOOMED")
      expect(yield* World.isDue(segment?.blobId ?? "", Sample.at(-9_000_000))).toBe(true)
      yield* blobs.forget([segment?.blobId ?? ""])
      expect(yield* World.blob(segment?.blobId ?? "")).toBeUndefined()
    })
  )

  it.effect("segments belong to the file, for the consistency check", () =>
    Effect.gen(function* () {
      const { claim, file } = yield* Conversions.claimed()
      const [segment] = yield* Conversions.publish(claim, ["index0.ts"])
      const blobId = segment?.blobId ?? ""
      expect(yield* World.blob(blobId)).toMatchObject({ state: "READY", fileId: file.id, size: segment?.size })
      expect(yield* (yield* BlobRepository).doomUnreferenced([blobId], Sample.at())).toBe(0)
    })
  )

  it.effect("what is published while the conversion is removed or its content forgotten goes with it", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const files = yield* FileRepository
      const blobs = yield* BlobRepository
      for (const round of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
        const { bucket, claim, file, source } = yield* Conversions.claimed()
        const segments = yield* Conversions.staged(claim, ["index0.ts", "index1.ts"])
        const publishing = Effect.result(conversions.publish(claim, Conversions.publication({ segments })))
        const removing =
          round % 2 === 0
            ? conversions.remove(bucket, source.blobId, "hls", Conversions.doom)
            : Effect.andThen(
                files.remove(bucket, World.byId(file.id), {}, Conversions.doom),
                blobs.forget([source.blobId])
              )
        const [published] = yield* Effect.all([publishing, removing], { concurrency: 2 })
        expect(yield* conversions.ofContent(bucket, source.blobId)).toEqual([])
        const expected = published._tag === "Success" ? "DOOMED" : "PENDING"
        for (const { blobId } of segments) expect(yield* stateOf(blobId)).toBe(expected)
        if (published._tag === "Failure") expect(published.failure).toMatchObject({ _tag: "ClaimLost" })
      }
    })
  )

  it.effect("who asks while the content is replaced gets a conversion that goes, or none", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const files = yield* FileRepository
      for (const _ of [1, 2, 3, 4, 5]) {
        const { bucket, file, source } = yield* Conversions.video
        const fresh = Sample.content(yield* World.stage(bucket))
        const asking = Effect.result(conversions.request(bucket, source, Conversions.wanted(), Sample.at()))
        const replacing = files.replaceContent(bucket, file.id, fresh, {}, Conversions.doom)
        const [asked] = yield* Effect.all([asking, replacing], { concurrency: 2 })
        if (asked._tag === "Failure") expect(asked.failure).toMatchObject({ _tag: "NotFound" })
        yield* (yield* BlobRepository).forget([source.blobId])
        expect(yield* conversions.ofContent(bucket, source.blobId)).toEqual([])
      }
    })
  )
}
