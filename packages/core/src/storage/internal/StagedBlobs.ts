/**
 * Stages blobs: the row precedes the first byte, a lease keeps it while the bytes arrive, and bytes that were not committed are removed.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { ContentRules } from "../../buckets/ContentRules.ts"
import type { NotFound } from "../../Errors.ts"
import * as Ids from "../../Ids.ts"
import type { MetadataError } from "../../MetadataError.ts"
import * as Scoped from "../../Scoped.ts"
import * as BlobEndings from "./BlobEndings.ts"
import * as BlobKey from "../BlobKey.ts"
import { BlobRepository } from "../BlobRepository.ts"
import { BlobStore } from "../BlobStore.ts"
import * as UploadLeases from "./UploadLeases.ts"

/** A PENDING blob. Its bytes are removed when its scope closes, unless they were committed. */
export interface StagedBlob {
  readonly blobId: string
  readonly key: string
  /** The rules of the bucket's contents. */
  readonly rules: ContentRules
  /**
   * Runs the commit; call it again only after an error of the file. When it fails with an error of the metadata store, or a defect, its outcome is unknown:
   * the bytes then stay until the lease ends.
   */
  readonly commit: <A, E>(step: Effect.Effect<A, E | MetadataError>) => Effect.Effect<A, E | MetadataError>
}

export type StageBlob = (bucket: BucketRef) => Effect.Effect<StagedBlob, NotFound | MetadataError, Scope.Scope>

/** Makes the function that stages a blob. */
export const make: Effect.Effect<StageBlob, never, BlobRepository | BlobStore | SecureRandom | Scope.Scope> =
  Effect.gen(function* () {
    const store = yield* BlobStore
    const repository = yield* BlobRepository
    const random = yield* SecureRandom
    const leases = yield* UploadLeases.make
    const endings = BlobEndings.make()

    const discard = (key: string, blobId: string) =>
      Effect.andThen(store.remove(key), repository.forget([blobId])).pipe(
        // The row stays until its bytes are removed, so that the sweeper removes both after the lease.
        Effect.catch(({ reason }) =>
          Effect.logWarning("failed upload not removed; the sweeper removes it after its lease").pipe(
            Effect.annotateLogs({ blobId, reason })
          )
        )
      )

    return Effect.fnUntraced(function* (bucket: BucketRef) {
      const now = yield* DateTime.now
      const blobId = endings.apply(yield* Effect.provideService(Ids.make("blb"), SecureRandom, random), now)
      const key = BlobKey.make({ ...bucket, blobId })
      /** Whether the blob is committed, or may be. */
      let keepsBlob = false
      const rules = yield* Scoped.acquire(
        repository.stage({ bucket, blobId, at: now, leaseUntil: leases.leaseUntil(now) }),
        () => (keepsBlob ? Effect.void : discard(key, blobId))
      )
      yield* leases.keepRenewed(blobId)
      return {
        blobId,
        key,
        rules,
        commit: (step) =>
          Effect.onExit(Effect.uninterruptible(step), (exit) =>
            Effect.sync(() => {
              keepsBlob = Exit.isSuccess(exit) || isOutcomeUnknown(exit)
            })
          )
      } satisfies StagedBlob
    })
  })

/** After a failure of the metadata store, or a defect, the commit may have taken place. Other errors roll it back. */
const isOutcomeUnknown = <A, E>(exit: Exit.Exit<A, E | MetadataError>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some(
    (reason) => reason._tag !== "Fail" || (isTagged(reason.error) && reason.error._tag === "MetadataError")
  )

const isTagged = (error: unknown): error is { readonly _tag: string } =>
  typeof error === "object" && error !== null && "_tag" in error
