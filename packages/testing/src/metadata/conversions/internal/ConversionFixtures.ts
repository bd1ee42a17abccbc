/**
 * Steps that the tests of conversions share. A conversion that a test leaves pending would be claimed by the next test.
 * Therefore each test works at its own times and ends what it claimed.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { ConversionClaim } from "@holdfast/core/conversions/ConversionClaim"
import { ConversionRepository, type ConversionRequest } from "@holdfast/core/conversions/ConversionRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import type { Publication } from "@holdfast/core/conversions/Publication"
import type { Format, Presentation } from "@holdfast/core/transcoding/Presentation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

export const presentation = (format: Format = "hls"): Presentation => ({
  format,
  duration: 10.5,
  hasVideo: true,
  hasAudio: true,
  renditions: [{ name: "720p", width: 1280, height: 720, frameRate: 25, bitrate: 2_600_000 }]
})

/** A presentation whose files the other format may share. */
export const sharedPresentation = (format: Format): Presentation => ({ ...presentation(format), isShared: true })

/** A file's content, and the bucket of the file. */
interface Content {
  readonly bucket: BucketRef
  readonly source: { readonly fileId: string; readonly blobId: string }
}

/** Makes a file with content, in a bucket of its own. */
export const video = Effect.gen(function* () {
  const bucket = yield* Fixtures.bucket()
  const file = yield* Fixtures.store(bucket)
  return { bucket, file, source: { fileId: file.id, blobId: file.content.blobId } }
})

/** A request for a conversion of a content, under a fresh id. */
export const requestOf = (
  { bucket, source }: Content,
  format: Format = "hls",
  options: Partial<Pick<ConversionRequest, "mode" | "maxPending" | "now">> = {}
): ConversionRequest => ({
  bucket,
  ...source,
  id: Sample.id("cnv"),
  format,
  mode: options.mode ?? "auto",
  maxPending: options.maxPending ?? 1000,
  now: options.now ?? Sample.at()
})

/** Requests a conversion that is due at a time. */
export const request = (content: Content, format: Format = "hls", now = Sample.at()) =>
  Effect.flatMap(ConversionRepository, (conversions) => conversions.request(requestOf(content, format, { now })))

export const sweepAt = Sample.at(5000)

/** Replaces the content of a file. */
export const replaceContent = (bucket: BucketRef, fileId: string) =>
  Effect.gen(function* () {
    const content = Sample.content(yield* Fixtures.stage(bucket))
    yield* (yield* FileRepository).replaceContent({ bucket, fileId, content, condition: {}, sweepAt })
  })

/** Claims a due conversion, or ladder, if there is one. Times are in milliseconds after the tests' base time. */
export const claimAt = (now = 0, leaseUntil = 30_000, ladders = false) =>
  Effect.flatMap(ConversionRepository, (conversions) =>
    conversions.claim({ now: Sample.at(now), leaseUntil: Sample.at(leaseUntil), sweepAt, ladders })
  )

/** Claims the only conversion that is due. */
export const claimNext = (now = 0, leaseUntil = 30_000) =>
  Effect.flatMap(claimAt(now, leaseUntil), (claim) => Effect.orDie(Effect.fromOption(claim)))

const farFuture = 1_000_000_000

/** Fails all pending conversions and ladders of earlier tests, so that the next claim is the test's own. */
export const failPending = Effect.gen(function* () {
  const conversions = yield* ConversionRepository
  while (true) {
    const claim = yield* claimAt(farFuture, farFuture, true)
    if (Option.isNone(claim)) return
    const fault = { code: "internal", detail: "Left pending by a test." } as const
    yield* conversions.fail(claim.value, { fault, now: Sample.at(farFuture), sweepAt })
  }
})

/** Makes a conversion that was requested and claimed. */
export const claimed = Effect.fnUntraced(function* (format: Format = "hls") {
  yield* failPending
  const made = yield* video
  yield* request(made, format)
  return { ...made, claim: yield* claimNext() }
})

/** Stages segments of these names. */
export const stage = Effect.fnUntraced(function* (claim: ConversionClaim, names: ReadonlyArray<string>) {
  const segments = names.map((name) => ({ name, blobId: Sample.id("blb"), size: 5_000_000_001, sha256: Sample.hash() }))
  const blobIds = segments.map(({ blobId }) => blobId)
  yield* (yield* ConversionRepository).stage(claim, { blobIds, now: Sample.at(), leaseUntil: Sample.at(60_000) })
  return segments
})

/** A publication of nothing, but for these fields. */
export const publication = (fields: Partial<Publication>): Publication => ({
  segments: [],
  playlists: [],
  progress: 0.5,
  presentation: presentation(),
  isFinished: false,
  now: Sample.at(100),
  leaseUntil: Sample.at(40_000),
  ...fields
})

/** Stages and publishes segments, and a playlist of them. */
export const publish = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  names: ReadonlyArray<string>,
  fields: Partial<Publication> = {}
) {
  const segments = yield* stage(claim, names)
  const playlists = [{ name: "playlist.m3u8", text: names.join("\n") }]
  yield* (yield* ConversionRepository).publish(
    claim,
    publication({ segments, playlists, presentation: presentation(claim.format), ...fields })
  )
  return segments
})

/** Makes a claimed conversion READY with the files of another one. */
export const share = (sharer: ConversionClaim, sharesId: string) =>
  Effect.flatMap(ConversionRepository, (conversions) =>
    conversions.publish(
      sharer,
      publication({ isFinished: true, progress: 1, presentation: sharedPresentation(sharer.format), sharesId })
    )
  )
