/**
 * Packages a content: makes a presentation whose segments are cut from the content when they are read. A request does that at once,
 * without a slot of a worker; a worker does it for what was queued otherwise.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import * as StoredContent from "../../files/StoredContent.ts"
import * as Ids from "../../Ids.ts"
import { DamageReports } from "../../integrity/DamageReports.ts"
import * as ContentSource from "../../packaging/ContentSource.ts"
import * as Package from "../../packaging/Package.ts"
import { isPackagingError } from "../../packaging/PackagingError.ts"
import { Settings } from "../../Settings.ts"
import * as BlobKey from "../../storage/BlobKey.ts"
import { BlobRepository } from "../../storage/BlobRepository.ts"
import { BlobStore } from "../../storage/BlobStore.ts"
import * as CompositeParts from "../../storage/CompositeParts.ts"
import type { Format } from "../../transcoding/Presentation.ts"
import * as StreamFiles from "../../transcoding/StreamFiles.ts"
import { LimitsOf, within } from "../../usage/UsageLimits.ts"
import type { ConversionClaim } from "../ConversionClaim.ts"
import { ConversionNotifier } from "../ConversionNotifier.ts"
import { ConversionRepository } from "../ConversionRepository.ts"
import * as LadderBelow from "./LadderBelow.ts"

export interface PackageableContent extends BucketRef {
  readonly blobId: string
  readonly size: number
  readonly isComposite?: boolean | undefined
}

/** Opens a content as a source of the packager. */
export const sourceOf = Effect.fnUntraced(function* (content: PackageableContent) {
  const findParts = yield* CompositeParts.make
  const stored = StoredContent.ofContent(yield* BlobStore, yield* DamageReports, findParts, content)
  return ContentSource.make(stored, content.size)
})

/** Makes a presentation of a content; none if it has to be converted. Changes nothing. `begin` is that of `Package.make`. */
export const prepare = Effect.fnUntraced(function* <E = never>(
  content: PackageableContent,
  format: Format,
  begin: Effect.Effect<void, E> = Effect.void
) {
  return yield* Package.make(yield* sourceOf(content), format, content.isComposite ?? false, begin).pipe(
    Effect.asSome,
    Effect.catchIf(isPackagingError, ({ detail, reason }) =>
      Effect.as(
        Effect.annotateLogs(Effect.logDebug("content not packaged; it will be converted"), { reason, detail }),
        Option.none()
      )
    )
  )
})

/** Finds the size of a claimed content, and whether it consists of parts. */
export const findContent = Effect.fnUntraced(function* ({ blobId, bucketId, tenantId }: ConversionClaim) {
  const parts = yield* Stream.runFold(
    CompositeParts.listAll(yield* BlobRepository, blobId),
    () => ({ count: 0, end: 0 }),
    (all, { size, start }) => ({ count: all.count + 1, end: start + size })
  )
  const isComposite = parts.count > 0
  const key = BlobKey.make({ tenantId, bucketId, blobId })
  const size = isComposite ? parts.end : (yield* (yield* BlobStore).stat(key)).size
  return { tenantId, bucketId, blobId, size, isComposite } satisfies PackageableContent
})

/**
 * Stores the index of a presentation and makes the conversion READY. The index is small enough for the lease of the claim. Without a
 * transcoder, a video gets no poster, storyboard and lower renditions.
 */
export const publish = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  prepared: Package.Package,
  { hasTranscoder }: { readonly hasTranscoder: boolean } = { hasTranscoder: true }
) {
  const conversions = yield* ConversionRepository
  const store = yield* BlobStore
  const { uploadLease } = yield* Settings
  const limitsOf = yield* LimitsOf
  const blobId = yield* Ids.make("blb")
  const start = yield* DateTime.now
  const leaseUntil = DateTime.addDuration(start, uploadLease)
  yield* conversions.stage(claim, { blobIds: [blobId], now: start, leaseUntil })
  const key = BlobKey.make({ tenantId: claim.tenantId, bucketId: claim.bucketId, blobId })
  const { sha256, size } = yield* store.put(key, Stream.fromIterable(prepared.index))
  const now = yield* DateTime.now
  const hasLadder = hasTranscoder && (yield* LadderBelow.isWanted(prepared.presentation, "auto"))
  const publication = {
    segments: [{ name: StreamFiles.index, blobId, size, sha256 }],
    playlists: Array.from(prepared.playlists, ([name, text]) => ({ name, text })),
    progress: 1,
    presentation: prepared.presentation,
    isFinished: true,
    picturesDueAt: hasTranscoder && prepared.presentation.hasVideo ? now : undefined,
    // No player follows the playlist, which is complete from the beginning.
    ladderDueAt: hasLadder ? now : undefined,
    now,
    leaseUntil: now
  }
  yield* within(yield* limitsOf(claim))(conversions.publish(claim, publication))
  yield* (yield* ConversionNotifier).notifyProgress
})
