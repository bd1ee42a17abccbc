/**
 * Uploads segments from a workspace to the blob store.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ids from "../../../Ids.ts"
import { Settings } from "../../../Settings.ts"
import * as BlobKey from "../../../storage/BlobKey.ts"
import { BlobRepository } from "../../../storage/BlobRepository.ts"
import { BlobStore } from "../../../storage/BlobStore.ts"
import type { ConversionClaim } from "../../ConversionClaim.ts"
import { type AddedTo, ConversionRepository } from "../../ConversionRepository.ts"
import type { Segment } from "../../Publication.ts"
import type { Workspace } from "../ConversionWorkspace.ts"
import type { ConversionWorkerOptions } from "../ConversionWorkerOptions.ts"

/**
 * Makes segments durable under fresh blobs that are not public yet. Their leases are renewed until the upload ends. The
 * sweeper removes a blob that is not published before its lease expires.
 */
export const uploadSegments = Effect.fnUntraced(function* (
  claim: ConversionClaim | AddedTo,
  workspace: Workspace,
  names: ReadonlyArray<string>,
  options: ConversionWorkerOptions
) {
  const conversions = yield* ConversionRepository
  const blobs = yield* BlobRepository
  const store = yield* BlobStore
  const { uploadLease } = yield* Settings
  const leaseEnd = Effect.map(DateTime.now, (now) => DateTime.addDuration(now, uploadLease))

  const staged = yield* Effect.forEach(names, (name) => Effect.map(Ids.make("blb"), (blobId) => ({ name, blobId })))
  const blobIds = staged.map(({ blobId }) => blobId)
  yield* conversions.stage(claim, { blobIds, now: yield* DateTime.now, leaseUntil: yield* leaseEnd })
  const renewLeases = Effect.flatMap(leaseEnd, (leaseUntil) => blobs.renew(blobIds, leaseUntil)).pipe(
    Effect.catch(({ reason }) =>
      Effect.annotateLogs(Effect.logWarning("segment leases not renewed; will retry"), { reason })
    ),
    Effect.delay(Duration.millis(Duration.toMillis(uploadLease) / 3)),
    Effect.forever
  )
  const puts = Effect.forEach(
    staged,
    ({ blobId, name }) =>
      Effect.map(
        store.put(BlobKey.make({ tenantId: claim.tenantId, bucketId: claim.bucketId, blobId }), workspace.read(name)),
        ({ sha256, size }): Segment => ({ name, blobId, size, sha256 })
      ),
    { concurrency: options.uploadConcurrency }
  )
  return yield* Effect.raceFirst(puts, renewLeases)
})
