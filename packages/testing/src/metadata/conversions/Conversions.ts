/**
 * Steps that the tests of conversions share. Every conversion that a test leaves open would be claimed by the next one, so
 * that each test works at times of its own and ends what it claimed.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { ConversionClaim, Publication } from "@holdfast/core/conversions/ConversionClaim"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import type { Format, Presentation } from "@holdfast/core/transcoding/Presentation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Sample from "../Sample.ts"
import * as World from "../World.ts"

export const presentation = (format: Format = "hls"): Presentation => ({
  format,
  duration: 10.5,
  hasVideo: true,
  hasAudio: true,
  renditions: [{ name: "720p", width: 1280, height: 720, frameRate: 25, bitrate: 2_600_000 }]
})

export const wanted = (format: Format = "hls", mode: "auto" | "transcode" = "auto") => ({
  id: Sample.id("cnv"),
  format,
  mode
})

/** A file with content, in a bucket of its own. */
export const video = Effect.gen(function* () {
  const bucket = yield* World.bucket()
  const file = yield* World.store(bucket)
  return { bucket, file, source: { fileId: file.id, blobId: file.content.blobId } }
})

/** Asks for a conversion that is due at a time. */
export const ask = Effect.fnUntraced(function* (
  made: { readonly bucket: BucketRef; readonly source: { readonly fileId: string; readonly blobId: string } },
  format: Format = "hls",
  at = Sample.at()
) {
  return yield* (yield* ConversionRepository).request(made.bucket, made.source, wanted(format), at)
})

export const doom = { sweepAt: Sample.at(5000) }

/** Ends what earlier tests left open, so that the next claim is the test's own. */
export const drain = Effect.gen(function* () {
  const conversions = yield* ConversionRepository
  const far = Sample.at(1_000_000_000)
  while (true) {
    const claim = yield* conversions.claim(far, far, doom)
    if (Option.isNone(claim)) return
    yield* conversions.fail(claim.value, { code: "internal", detail: "Drained." }, far, doom)
  }
})

/** The claim of a conversion that is the only one due. */
export const take = (at = Sample.at(), leaseUntil = Sample.at(30_000)) =>
  Effect.flatMap(ConversionRepository, (conversions) =>
    Effect.flatMap(conversions.claim(at, leaseUntil, doom), (claim) => Effect.orDie(Effect.fromOption(claim)))
  )

/** A conversion that was asked for and claimed. */
export const claimed = Effect.fnUntraced(function* (format: Format = "hls") {
  yield* drain
  const made = yield* video
  yield* ask(made, format)
  return { ...made, claim: yield* take() }
})

/** Stages segments of these names. */
export const staged = Effect.fnUntraced(function* (claim: ConversionClaim, names: ReadonlyArray<string>) {
  const segments = names.map((name) => ({ name, blobId: Sample.id("blb"), size: 5_000_000_001, sha256: Sample.hash() }))
  const ids = segments.map(({ blobId }) => blobId)
  yield* (yield* ConversionRepository).stage(claim, ids, Sample.at(), Sample.at(60_000))
  return segments
})

/** A step of publishing. */
export const publication = (fields: Partial<Publication>): Publication => ({
  segments: [],
  playlists: [],
  progress: 0.5,
  presentation: presentation(),
  isFinished: false,
  at: Sample.at(100),
  leaseUntil: Sample.at(40_000),
  ...fields
})

/** Publishes segments, and a playlist. */
export const publish = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  names: ReadonlyArray<string>,
  fields: Partial<Publication> = {}
) {
  const segments = yield* staged(claim, names)
  const playlists = [{ name: "playlist.m3u8", text: names.join("\n") }]
  yield* (yield* ConversionRepository).publish(
    claim,
    publication({ segments, playlists, presentation: presentation(claim.format), ...fields })
  )
  return segments
})
