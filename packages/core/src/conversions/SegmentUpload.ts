/**
 * Segments on their way from a workspace to the blob store.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ids from "../Ids.ts"
import { Settings } from "../Settings.ts"
import * as BlobKey from "../storage/BlobKey.ts"
import { BlobRepository } from "../storage/BlobRepository.ts"
import { BlobStore } from "../storage/BlobStore.ts"
import type { ConversionClaim, Segment } from "./ConversionClaim.ts"
import { ConversionRepository } from "./ConversionRepository.ts"
import type { Workspace } from "./ConversionWorkspace.ts"
import type { ConversionWorkerOptions } from "./ConversionWorkerOptions.ts"

/**
 * Makes segments durable under fresh blobs that nobody sees yet; their leases are renewed for as long as it takes. What
 * is not published afterwards is swept when its lease has ended.
 */
export const upload = Effect.fnUntraced(function* (
  claim: ConversionClaim,
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
  yield* conversions.stage(claim, blobIds, yield* DateTime.now, yield* leaseEnd)
  const keep = Effect.flatMap(leaseEnd, (end) => blobs.renew(blobIds, end)).pipe(
    Effect.catch((error) => Effect.logWarning("Could not renew the leases of segments", error.reason)),
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
    { concurrency: options.uploads }
  )
  return yield* Effect.raceFirst(puts, keep)
})
