/**
 * The contract of `ConversionRepository` for requests, lookups and removal.
 */
import { expect } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { DamageRepository } from "@holdfast/core/integrity/DamageRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ConversionFixtures from "./ConversionFixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

const stateOf = (blobId: string) => Effect.map(Fixtures.blob(blobId), (row) => row?.state)

export const conversionContract = (it: It): void => {
  it.effect("request: ten at once, and a later one in another mode → one conversion", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const content = yield* ConversionFixtures.video
      const { bucket, source } = content
      const requested = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () => conversions.request(ConversionFixtures.requestOf(content)),
        { concurrency: "unbounded" }
      )
      const [first] = requested
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
      for (const one of requested) expect(one).toEqual(first)
      const later = yield* conversions.request(
        ConversionFixtures.requestOf(content, "hls", { mode: "transcode", now: Sample.at(5) })
      )
      expect(later).toEqual(first)
      const dash = yield* conversions.request(ConversionFixtures.requestOf(content, "dash"))
      expect(yield* conversions.listByContent(bucket, source.blobId)).toEqual([dash, first])
    })
  )

  it.effect(
    "request, list, remove and find: id of another tenant, bucket or file → nothing found, nothing changed",
    () =>
      Effect.gen(function* () {
        const conversions = yield* ConversionRepository
        const made = yield* ConversionFixtures.video
        yield* ConversionFixtures.request(made)
        const other = yield* Fixtures.bucket()
        const { blobId } = made.source
        for (const bucket of [
          { ...made.bucket, tenantId: other.tenantId },
          { ...made.bucket, bucketId: other.bucketId }
        ]) {
          const requesting = conversions.request(ConversionFixtures.requestOf({ ...made, bucket }, "dash"))
          expect(yield* Effect.flip(requesting)).toMatchObject({ _tag: "NotFound", resource: "file" })
          expect(yield* conversions.listByContent(bucket, blobId)).toEqual([])
          expect(
            yield* conversions.remove({ bucket, blobId, format: "hls", sweepAt: ConversionFixtures.sweepAt })
          ).toBe(false)
          const selector = Fixtures.byId(made.file.id)
          const finding = conversions.findStreamFile({ bucket, selector, format: "hls", name: "index0.ts" })
          expect(yield* Effect.flip(finding)).toMatchObject({ _tag: "NotFound", resource: "file" })
        }
        const source = { fileId: Sample.id("fil"), blobId }
        const requesting = conversions.request(ConversionFixtures.requestOf({ ...made, source }, "dash"))
        expect(yield* Effect.flip(requesting)).toMatchObject({ _tag: "NotFound" })
        expect(yield* conversions.listByContent(made.bucket, blobId)).toHaveLength(1)
      })
  )

  it.effect("findStreamFile: before, during and after the conversion → its state, and the published file", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, file, source } = yield* ConversionFixtures.claimed()
      const findFile = (name: string, format: "hls" | "dash" = "hls") =>
        conversions.findStreamFile({ bucket, selector: Fixtures.byId(file.id), format, name })
      const none = { _tag: "None" }
      const content = { fileId: file.id, blobId: source.blobId }
      expect(yield* findFile("manifest.mpd", "dash")).toEqual({ ...content, conversion: null, found: none })
      const running = { id: claim.conversionId, state: "RUNNING", fault: null }
      expect(yield* findFile("index0.ts")).toEqual({ ...content, conversion: running, found: none })
      const [segment] = yield* ConversionFixtures.publish(claim, ["index0.ts"])
      const { blobId, sha256, size } = segment ?? { blobId: "", sha256: "", size: 0 }
      const found = { _tag: "Segment", blobId, size, sha256, damaged: false }
      expect(yield* findFile("index0.ts")).toEqual({ ...content, conversion: running, found })
      yield* (yield* DamageRepository).record({ blob: { ...bucket, blobId }, kind: "Missing", at: Sample.at() })
      expect((yield* findFile("index0.ts")).found).toEqual({ ...found, damaged: true })
      expect(yield* (yield* DamageRepository).clear(blobId)).toEqual({ hasRow: true, wasDamaged: true })
      yield* ConversionFixtures.publish(claim, ["index1.ts"], { isFinished: true, progress: 1 })
      expect(yield* findFile("playlist.m3u8")).toEqual({
        ...content,
        conversion: { id: claim.conversionId, state: "READY", fault: null },
        found: { _tag: "Playlist", text: "index1.ts" }
      })
      const empty = yield* Fixtures.reserve(bucket)
      const first = { bucket, format: "hls", name: "index0.ts" } as const
      const withoutContent = conversions.findStreamFile({ ...first, selector: Fixtures.byId(empty.id) })
      expect(yield* Effect.flip(withoutContent)).toMatchObject({ _tag: "ContentNotUploaded" })
      const missing = conversions.findStreamFile({ ...first, selector: Fixtures.byId(Sample.id("fil")) })
      expect(yield* Effect.flip(missing)).toMatchObject({ _tag: "NotFound" })
    })
  )

  it.effect("replaceDamaged: segment of a READY conversion → QUEUED again with another id, old segments DOOMED", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* ConversionFixtures.claimed()
      const [published] = yield* ConversionFixtures.publish(claim, ["index0.ts"])
      const replace = (blobId: string, id = Sample.id("cnv"), sharerId = Sample.id("cnv")) =>
        conversions.replaceDamaged({ blobId, id, sharerId, now: Sample.at(200), sweepAt: ConversionFixtures.sweepAt })
      expect(yield* replace(published?.blobId ?? "")).toBe(false)
      const [segment] = yield* ConversionFixtures.publish(claim, ["index1.ts"], { isFinished: true })
      const blobId = segment?.blobId ?? ""
      expect(yield* replace(source.blobId)).toBe(false)
      expect(yield* stateOf(blobId)).toBe("READY")

      const id = Sample.id("cnv")
      expect(yield* replace(blobId, id)).toBe(true)
      expect(yield* replace(blobId)).toBe(false)
      expect(yield* stateOf(blobId)).toBe("DOOMED")
      expect(yield* Fixtures.isDue(blobId, ConversionFixtures.sweepAt)).toBe(true)
      expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
        { id, format: "hls", mode: "auto", state: "QUEUED", progress: 0, presentation: null }
      ])
      const next = yield* ConversionFixtures.claimNext(200, 30_000)
      expect(next).toMatchObject({ conversionId: id, blobId: source.blobId, attempts: 1, interruptions: 0 })
      yield* conversions.fail(next, {
        fault: { code: "content_damaged", detail: "Damaged." },
        now: Sample.at(300),
        sweepAt: ConversionFixtures.sweepAt
      })
      expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
        { id, state: "FAILED", fault: { code: "content_damaged", detail: "Damaged." } }
      ])
    })
  )

  it.effect("remove: conversion is running → its segments are DOOMED, and the worker has lost its lease", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* ConversionFixtures.claimed()
      const [segment] = yield* ConversionFixtures.publish(claim, ["index0.ts"])
      const conversion = { bucket, blobId: source.blobId, format: "hls", sweepAt: ConversionFixtures.sweepAt } as const
      expect(yield* conversions.remove(conversion)).toBe(true)
      expect(yield* conversions.remove(conversion)).toBe(false)
      expect(yield* conversions.listByContent(bucket, source.blobId)).toEqual([])
      expect(yield* stateOf(segment?.blobId ?? "")).toBe("DOOMED")
      expect(yield* Fixtures.isDue(segment?.blobId ?? "", ConversionFixtures.sweepAt)).toBe(true)
      expect(yield* Effect.flip(conversions.renew(claim, Sample.at(9)))).toMatchObject({ _tag: "LeaseLost" })
      // The next request for this content makes another conversion, which the former worker cannot change.
      yield* ConversionFixtures.request({ bucket, source })
      const next = yield* ConversionFixtures.claimNext()
      expect(next.conversionId).not.toBe(claim.conversionId)
      expect(yield* Effect.flip(ConversionFixtures.stage(claim, ["index0.ts"]))).toMatchObject({ _tag: "LeaseLost" })
    })
  )

  it.effect("content is replaced → its conversions are not found or claimed, and `forget` removes them", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const files = yield* FileRepository
      const blobs = yield* BlobRepository
      const { bucket, claim, file, source } = yield* ConversionFixtures.claimed()
      const [segment] = yield* ConversionFixtures.publish(claim, ["index0.ts"], { isFinished: true })
      yield* ConversionFixtures.request({ bucket, source }, "dash")
      const fresh = Sample.content(yield* Fixtures.stage(bucket))
      yield* files.replaceContent({
        bucket,
        fileId: file.id,
        content: fresh,
        condition: {},
        sweepAt: ConversionFixtures.sweepAt
      })
      // The new content has no conversion, and no worker claims those of the former content.
      const selector = Fixtures.byId(file.id)
      const lookup = yield* conversions.findStreamFile({ bucket, selector, format: "hls", name: "index0.ts" })
      expect(lookup.conversion).toBeNull()
      expect(yield* ConversionFixtures.claimAt(99, 99)).toEqual(Option.none())
      const requesting = conversions.request(ConversionFixtures.requestOf({ bucket, source }))
      expect(yield* Effect.flip(requesting)).toMatchObject({ _tag: "NotFound" })
      expect(yield* stateOf(segment?.blobId ?? "")).toBe("READY")
      // They are removed when the former content is forgotten.
      yield* blobs.forget([source.blobId])
      expect(yield* conversions.listByContent(bucket, source.blobId)).toEqual([])
      expect(yield* stateOf(segment?.blobId ?? "")).toBe("DOOMED")
      expect(yield* Fixtures.isDue(segment?.blobId ?? "", Sample.at(-9_000_000))).toBe(true)
      yield* blobs.forget([segment?.blobId ?? ""])
      expect(yield* Fixtures.blob(segment?.blobId ?? "")).toBeUndefined()
    })
  )

  it.effect("publish: segment → its blob references the file, so that the consistency check keeps it", () =>
    Effect.gen(function* () {
      const { claim, file } = yield* ConversionFixtures.claimed()
      const [segment] = yield* ConversionFixtures.publish(claim, ["index0.ts"])
      const blobId = segment?.blobId ?? ""
      expect(yield* Fixtures.blob(blobId)).toMatchObject({ state: "READY", fileId: file.id, size: segment?.size })
      expect(yield* (yield* BlobRepository).doomUnreferenced([blobId], Sample.at())).toBe(0)
    })
  )

  it.effect("publish: conversion is removed, or its content forgotten, at the same time → no segment stays READY", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const files = yield* FileRepository
      const blobs = yield* BlobRepository
      for (const round of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
        const { bucket, claim, file, source } = yield* ConversionFixtures.claimed()
        const segments = yield* ConversionFixtures.stage(claim, ["index0.ts", "index1.ts"])
        const publishing = Effect.result(conversions.publish(claim, ConversionFixtures.publication({ segments })))
        const removing =
          round % 2 === 0
            ? conversions.remove({ bucket, blobId: source.blobId, format: "hls", sweepAt: ConversionFixtures.sweepAt })
            : Effect.andThen(
                files.remove({
                  bucket,
                  selector: Fixtures.byId(file.id),
                  condition: {},
                  sweepAt: ConversionFixtures.sweepAt
                }),
                blobs.forget([source.blobId])
              )
        const [published] = yield* Effect.all([publishing, removing], { concurrency: 2 })
        expect(yield* conversions.listByContent(bucket, source.blobId)).toEqual([])
        const expected = published._tag === "Success" ? "DOOMED" : "PENDING"
        for (const { blobId } of segments) expect(yield* stateOf(blobId)).toBe(expected)
        if (published._tag === "Failure") expect(published.failure).toMatchObject({ _tag: "LeaseLost" })
      }
    })
  )

  it.effect("request: content is replaced at the same time → NotFound, or a conversion that `forget` removes", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const files = yield* FileRepository
      for (const _ of [1, 2, 3, 4, 5]) {
        const { bucket, file, source } = yield* ConversionFixtures.video
        const fresh = Sample.content(yield* Fixtures.stage(bucket))
        const requesting = Effect.result(conversions.request(ConversionFixtures.requestOf({ bucket, source })))
        const replacing = files.replaceContent({
          bucket,
          fileId: file.id,
          content: fresh,
          condition: {},
          sweepAt: ConversionFixtures.sweepAt
        })
        const [requested] = yield* Effect.all([requesting, replacing], { concurrency: 2 })
        if (requested._tag === "Failure") expect(requested.failure).toMatchObject({ _tag: "NotFound" })
        yield* (yield* BlobRepository).forget([source.blobId])
        expect(yield* conversions.listByContent(bucket, source.blobId)).toEqual([])
      }
    })
  )
}
