/**
 * Runs a claimed conversion: adds its source to a workspace, transcodes it, and publishes the output until it is READY.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as SubscriptionRef from "effect/SubscriptionRef"
import { ContentDamaged } from "../../../files/FileErrors.ts"
import type { MetadataError } from "../../../MetadataError.ts"
import type { BlobError } from "../../../storage/BlobError.ts"
import * as BlobKey from "../../../storage/BlobKey.ts"
import { BlobRepository } from "../../../storage/BlobRepository.ts"
import { BlobStore } from "../../../storage/BlobStore.ts"
import * as CompositeParts from "../../../storage/CompositeParts.ts"
import type { ConversionEvent } from "../../../transcoding/ConversionEvent.ts"
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"
import type { TranscodeError } from "../../../transcoding/TranscodeError.ts"
import { Transcoder } from "../../../transcoding/Transcoder.ts"
import type { ConversionClaim } from "../../ConversionClaim.ts"
import { ConversionRepository, type ReadyConversion } from "../../ConversionRepository.ts"
import type { ConversionWorkerOptions } from "../ConversionWorkerOptions.ts"
import { ConversionWorkspace, type Workspace, type WorkspaceError } from "../ConversionWorkspace.ts"
import { SourceCheck } from "../SourceCheck.ts"
import * as Poster from "./Poster.ts"
import * as Publisher from "./Publisher.ts"

/** Seconds. For a copy of this duration or longer, reading its many segments costs more than reading the content again. */
const longCopy = 900

/**
 * Whether to repackage the READY conversion of the other format instead of converting the content. Not if the claim demands
 * mode `transcode` and the other conversion has another mode; not if the other one is a long copy.
 */
const canRepackage = ({ mode, presentation }: ReadyConversion, claim: ConversionClaim): boolean => {
  if (claim.mode === "transcode") return mode === "transcode"
  return presentation.isCopy !== true || (presentation.duration ?? 0) < longCopy
}

/** Adds the bytes of a blob to the workspace. */
const addBlob = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  workspace: Workspace,
  path: string,
  blobId: string
) {
  const store = yield* BlobStore
  const key = BlobKey.make({ tenantId: claim.tenantId, bucketId: claim.bucketId, blobId })
  yield* workspace.addFile({ path, localFile: store.localFile(key), content: store.read(key) })
})

/** Adds the content of the file to the workspace. */
const addContent = Effect.fnUntraced(function* (claim: ConversionClaim, workspace: Workspace) {
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
const areIntact = Effect.fnUntraced(function* (blobIds: ReadonlyArray<string>) {
  const isIntact = yield* SourceCheck
  for (const blobId of blobIds) if (!(yield* isIntact(blobId))) return false
  return true
})

/** Lists the blobs that have the bytes of a content: its own, or its parts. */
const blobsOf = Effect.fnUntraced(function* (blobId: string) {
  const parts = yield* Stream.runCollect(CompositeParts.listAll(yield* BlobRepository, blobId))
  return parts.length === 0 ? [blobId] : parts.map((part) => part.blobId)
})

type TranscodingError = BlobError | ContentDamaged | MetadataError | TranscodeError | WorkspaceError
type Events = Stream.Stream<ConversionEvent, TranscodingError, BlobStore | Transcoder>

/**
 * Returns the transcoder's events: of the content, or of the READY conversion of the other format. Fails with `ContentDamaged` when
 * the bytes of the content are not those of its record.
 */
const transcode = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  workspace: Workspace,
  suspended: SubscriptionRef.SubscriptionRef<boolean>,
  options: ConversionWorkerOptions
): Effect.fn.Return<Events, TranscodingError, BlobRepository | BlobStore | ConversionRepository | Transcoder> {
  const transcoder = yield* Transcoder
  const { limits } = options
  const { format, mode } = claim
  const { input, output, source } = workspace
  const other = Option.filter(yield* (yield* ConversionRepository).findReady(claim), (one) => canRepackage(one, claim))
  if (Option.isSome(other) && (yield* areIntact(other.value.segments.map(({ blobId }) => blobId)))) {
    const { presentation, segments } = other.value
    const posters = segments.filter(({ name }) => name === StreamFiles.poster)
    const rest = segments.filter(({ name }) => name !== StreamFiles.poster)
    yield* Effect.forEach(rest, ({ blobId, name }) => addBlob(claim, workspace, `${source}/${name}`, blobId), {
      concurrency: options.uploadConcurrency,
      discard: true
    })
    const copyPoster = Effect.forEach(posters, ({ blobId, name }) =>
      addBlob(claim, workspace, `${output}/${name}`, blobId)
    )
    const events = transcoder.repackage({ source, presentation, output, format, limits, suspended })
    return Poster.withPoster(events, Effect.as(copyPoster, posters.length > 0))
  }
  if (!(yield* areIntact(yield* blobsOf(claim.blobId)))) return yield* new ContentDamaged()
  yield* addContent(claim, workspace)
  const media = yield* transcoder.probe({ input, limits })
  const events = transcoder.convert({ input, media, output, format, mode, limits, suspended })
  return Poster.withPoster(events, Poster.make(workspace, media, limits))
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

/** Converts and publishes. Succeeds when the conversion is READY. While `suspended` is true, the transcoder pauses. */
export const runConversion = (
  claim: ConversionClaim,
  suspended: SubscriptionRef.SubscriptionRef<boolean>,
  options: ConversionWorkerOptions
) =>
  Effect.gen(function* () {
    const work = Effect.gen(function* () {
      const workspace = yield* (yield* ConversionWorkspace).make
      const convert = Effect.flatMap(transcode(claim, workspace, suspended, options), (events) =>
        Publisher.publish(claim, workspace, events, options)
      )
      yield* Effect.raceFirst(convert, workspace.watch)
    })
    yield* Effect.raceFirst(Effect.scoped(work), renewLease(claim, options.lease))
  })
