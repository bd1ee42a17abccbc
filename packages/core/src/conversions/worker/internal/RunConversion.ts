/**
 * Runs a claimed conversion: adds its source to a workspace, transcodes it, and publishes the output until it is READY.
 */
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as SubscriptionRef from "effect/SubscriptionRef"
import type { BucketRef } from "../../../buckets/BucketRef.ts"
import { ContentDamaged } from "../../../files/FileErrors.ts"
import type { MetadataError } from "../../../MetadataError.ts"
import { Settings } from "../../../Settings.ts"
import type { BlobError } from "../../../storage/BlobError.ts"
import * as BlobKey from "../../../storage/BlobKey.ts"
import { BlobRepository } from "../../../storage/BlobRepository.ts"
import { BlobStore } from "../../../storage/BlobStore.ts"
import * as CompositeParts from "../../../storage/CompositeParts.ts"
import type { ConversionEvent } from "../../../transcoding/ConversionEvent.ts"
import type { Presentation } from "../../../transcoding/Presentation.ts"
import * as Ladder from "../../../transcoding/Ladder.ts"
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"
import type { TranscodeError } from "../../../transcoding/TranscodeError.ts"
import { Transcoder } from "../../../transcoding/Transcoder.ts"
import { type ConversionClaim, LeaseLost } from "../../ConversionClaim.ts"
import { ConversionRepository, type ReadyConversion } from "../../ConversionRepository.ts"
import * as LadderBelow from "../../internal/LadderBelow.ts"
import * as PackageContent from "../../internal/PackageContent.ts"
import * as PackageHevc from "../../internal/PackageHevc.ts"
import * as ShareConversion from "../../internal/ShareConversion.ts"
import type { ConversionWorkerOptions } from "../ConversionWorkerOptions.ts"
import { ConversionWorkspace, type Workspace, type WorkspaceError } from "../ConversionWorkspace.ts"
import { SourceCheck } from "../SourceCheck.ts"
import * as AddHevc from "./AddHevc.ts"
import * as MakeAv1 from "./MakeAv1.ts"
import * as MakeLadder from "./MakeLadder.ts"
import * as AddStoryboard from "./AddStoryboard.ts"
import * as Poster from "./Poster.ts"
import * as Publisher from "./Publisher.ts"

/** Seconds. For a copy of this duration or longer, reading its many segments costs more than reading the content again. */
const longCopy = 900

/**
 * Whether to repackage the READY conversion of the other format instead of converting the content. Not if the claim demands
 * mode `transcode` and the other conversion has another mode; not if the other one is a long copy, or has no segments.
 */
const canRepackage = ({ mode, presentation }: ReadyConversion, claim: ConversionClaim): boolean => {
  if (presentation.isPackaged === true || presentation.isShared === true) return false
  if (claim.mode === "transcode") return mode === "transcode"
  return presentation.isCopy !== true || (presentation.duration ?? 0) < longCopy
}

/** Adds the bytes of a blob to the workspace. */
const addBlob = Effect.fnUntraced(function* (claim: BucketRef, workspace: Workspace, path: string, blobId: string) {
  const store = yield* BlobStore
  const key = BlobKey.make({ tenantId: claim.tenantId, bucketId: claim.bucketId, blobId })
  yield* workspace.addFile({ path, localFile: store.localFile(key), content: store.read(key) })
})

/** Adds the content of the file to the workspace. */
export const addContent = Effect.fnUntraced(function* (claim: BlobKey.Parts, workspace: Workspace) {
  const { blobId, bucketId, tenantId } = claim
  const store = yield* BlobStore
  const blobs = yield* BlobRepository
  const { input: path } = workspace
  const [part] = yield* blobs.listParts({ blobId, offset: 0, limit: 1 })
  if (part === undefined) return yield* addBlob(claim, workspace, path, blobId)
  const content = CompositeParts.readWhole(store, blobs, { tenantId, bucketId, blobId })
  yield* workspace.addFile({ path, localFile: undefined, content })
})

/** Whether all of the blobs are intact. */
export const areIntact = Effect.fnUntraced(function* (blobIds: ReadonlyArray<string>) {
  const isIntact = yield* SourceCheck
  for (const blobId of blobIds) if (!(yield* isIntact(blobId))) return false
  return true
})

/** Lists the blobs that have the bytes of a content: its own, or its parts. */
export const blobsOf = Effect.fnUntraced(function* (blobId: string) {
  const parts = yield* Stream.runCollect(CompositeParts.listAll(yield* BlobRepository, blobId))
  return parts.length === 0 ? [blobId] : parts.map((part) => part.blobId)
})

type TranscodingError = BlobError | ContentDamaged | MetadataError | TranscodeError | WorkspaceError

/** A conversion that has begun. */
interface Run {
  readonly events: Stream.Stream<ConversionEvent, TranscodingError, BlobRepository | BlobStore | Transcoder>
  /** Writes the files of the storyboard of the finished presentation, or copies them. */
  readonly storyboard: (
    presentation: Presentation
  ) => Effect.Effect<AddStoryboard.Files | undefined, TranscodingError, BlobStore | Transcoder>
}

/**
 * Begins the conversion: of the content, or of the READY conversion of the other format. Fails with `ContentDamaged` when the bytes of
 * the content are not those of its record.
 */
const transcode = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  workspace: Workspace,
  suspended: SubscriptionRef.SubscriptionRef<boolean>,
  options: ConversionWorkerOptions
): Effect.fn.Return<Run, TranscodingError, BlobRepository | BlobStore | ConversionRepository | Transcoder> {
  const transcoder = yield* Transcoder
  const { limits } = options
  const { format, mode } = claim
  const { blobGrace, videoHevc, videoLines: lines } = yield* Settings
  const { input, output, source } = workspace
  const repository = yield* ConversionRepository
  const other = Option.filter(yield* repository.findReady(claim), (one) => canRepackage(one, claim))
  const segments = Option.match(other, {
    onNone: () => [],
    onSome: (one) => one.segments.filter(({ name }) => !MakeLadder.isOfLadder(one.presentation, name))
  })
  if (Option.isSome(other) && (yield* areIntact(segments.map(({ blobId }) => blobId)))) {
    const presentation = MakeLadder.withoutLadder(other.value.presentation)
    const text = other.value.storyboard
    const posters = segments.filter(({ name }) => name === StreamFiles.poster)
    const sheets = segments.filter(({ name }) => StreamFiles.isOfStoryboard(name))
    const rest = segments.filter((segment) => !posters.includes(segment) && !sheets.includes(segment))
    yield* Effect.forEach(rest, ({ blobId, name }) => addBlob(claim, workspace, `${source}/${name}`, blobId), {
      concurrency: options.uploadConcurrency,
      discard: true
    })
    const copyAll = (files: typeof segments) =>
      Effect.forEach(files, ({ blobId, name }) => addBlob(claim, workspace, `${output}/${name}`, blobId))
    const events = transcoder.repackage({ source, presentation, output, format, limits, suspended })
    const storyboard = text === null ? undefined : { sheets: sheets.map(({ name }) => name), text }
    return {
      events: Poster.withPoster(events, Effect.as(copyAll(posters), posters.length > 0)),
      storyboard: () => Effect.as(copyAll(sheets), storyboard)
    }
  }
  if (!(yield* areIntact(yield* blobsOf(claim.blobId)))) return yield* new ContentDamaged()
  yield* addContent(claim, workspace)
  const media = yield* transcoder.probe({ input, limits })
  const now = yield* DateTime.now
  yield* repository.releaseDash(claim, { now, sweepAt: DateTime.addDuration(now, blobGrace) })
  const converted = transcoder.convert({ input, media, output, format, mode, lines, limits, suspended, mayShare: true })
  const hevc =
    videoHevc && mode === "auto" && media.video?.codec === "hevc"
      ? Option.some(yield* PackageContent.findContent(claim))
      : Option.none()
  const events =
    Option.isSome(hevc) && (yield* PackageHevc.isCandidate(hevc.value))
      ? AddHevc.withHevc(converted, hevc.value, workspace)
      : converted
  return {
    events: Poster.withPoster(events, Poster.make(workspace, media, limits)),
    storyboard: (presentation) => AddStoryboard.make(workspace, media, presentation, { limits, suspended })
  }
})

/** Returns the events of the claimed ladder, or of the AV1 of encoded video. */
const makeLadder = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  workspace: Workspace,
  suspended: SubscriptionRef.SubscriptionRef<boolean>,
  options: ConversionWorkerOptions
) {
  const transcoder = yield* Transcoder
  const { limits } = options
  const { input, output } = workspace
  const copy = yield* Effect.flatMap((yield* ConversionRepository).findCopy(claim), (found) =>
    Effect.mapError(Effect.fromOption(found), () => new LeaseLost())
  )
  const rungs = yield* LadderBelow.rungs(copy.presentation)
  if (!Ladder.isEncoded(copy.presentation) && rungs.length === 0) return yield* new LeaseLost()
  if (!(yield* areIntact(yield* blobsOf(claim.blobId)))) return yield* new ContentDamaged()
  yield* addContent(claim, workspace)
  const media = yield* transcoder.probe({ input, limits })
  const job = { input, media, output, limits, suspended }
  return yield* Arr.isReadonlyArrayNonEmpty(rungs)
    ? MakeLadder.make(claim, copy, { ...job, rungs, workspace })
    : MakeAv1.make(claim, copy, media, job)
})

/** Renews the lease until interrupted. Fails with `LeaseLost`. */
const renewLease = Effect.fnUntraced(function* (claim: ConversionClaim, lease: Duration.Duration) {
  const repository = yield* ConversionRepository
  const renew = Effect.flatMap(DateTime.now, (now) => repository.renew(claim, DateTime.addDuration(now, lease)))
  return yield* renew.pipe(
    // Two more attempts fit into the lease. Later ones fail with `LeaseLost` if another worker has claimed the conversion.
    Effect.catchTag("MetadataError", ({ reason }) =>
      Effect.annotateLogs(Effect.logWarning("conversion lease not renewed; will retry"), { reason })
    ),
    Effect.delay(Duration.millis(Duration.toMillis(lease) / 3)),
    Effect.forever
  )
})

/**
 * Shares the files of the other format, packages the content, or converts it, and publishes the result until the conversion is READY,
 * and adds the storyboard of a converted one; or until the ladder has joined its copy. While `suspended` is true, the transcoder pauses.
 */
export const runConversion = (
  claim: ConversionClaim,
  suspended: SubscriptionRef.SubscriptionRef<boolean>,
  options: ConversionWorkerOptions
) =>
  Effect.gen(function* () {
    const shared = claim.isLadder ? Effect.succeed(false) : ShareConversion.share(claim)
    const packaged = Effect.gen(function* () {
      if (claim.mode !== "auto" || claim.isLadder) return false
      const content = yield* PackageContent.findContent(claim)
      const prepared = yield* PackageContent.prepare(content, claim.format)
      if (Option.isNone(prepared)) return false
      yield* PackageContent.publish(claim, prepared.value)
      return true
    })
    const work = Effect.gen(function* () {
      if ((yield* shared) || (yield* packaged)) return Effect.void
      const workspace = yield* (yield* ConversionWorkspace).make
      const convert = Effect.gen(function* () {
        if (claim.isLadder) {
          const events = yield* makeLadder(claim, workspace, suspended, options)
          yield* Publisher.publish(claim, workspace, events, options)
          return Effect.void
        }
        const { events, storyboard } = yield* transcode(claim, workspace, suspended, options)
        const presentation = yield* Publisher.publish(claim, workspace, events, options)
        return AddStoryboard.add(claim, workspace, storyboard(presentation), options)
      })
      return yield* Effect.raceFirst(convert, workspace.watch)
    })
    // A READY conversion has no lease.
    const addStoryboard = yield* Effect.raceFirst(work, renewLease(claim, options.lease))
    yield* addStoryboard
  }).pipe(Effect.scoped)
