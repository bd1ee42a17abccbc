/**
 * Renews the leases of the uploads that run in this process, so that the sweeper of another node does not expire them.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Scoped from "../../Scoped.ts"
import { Settings } from "../../Settings.ts"
import { BlobRepository } from "../BlobRepository.ts"

export interface UploadLeases {
  /** Returns when a lease that begins now ends, unless it is renewed. */
  readonly leaseUntil: (now: DateTime.Utc) => DateTime.Utc
  /** Renews the blob's lease from now on, until the scope closes. */
  readonly keepRenewed: (blobId: string) => Effect.Effect<void, never, Scope.Scope>
}

/**
 * Starts the renewal: every third of a lease, in one statement for all uploads. Without an upload it sends no statement.
 */
export const make: Effect.Effect<UploadLeases, never, BlobRepository | Scope.Scope> = Effect.gen(function* () {
  const repository = yield* BlobRepository
  const { uploadLease } = yield* Settings
  const active = new Set<string>()
  const leaseUntil = (now: DateTime.Utc) => DateTime.addDuration(now, uploadLease)

  const renew = Effect.gen(function* () {
    if (active.size === 0) return
    yield* repository.renew([...active], leaseUntil(yield* DateTime.now))
  }).pipe(
    // A lease lasts for two more attempts. An upload that loses its lease fails at its commit; the client can retry it.
    Effect.catch(({ reason }) =>
      Effect.logWarning("upload leases not renewed").pipe(Effect.annotateLogs({ uploads: active.size, reason }))
    )
  )
  yield* renew.pipe(
    Effect.delay(Duration.millis(Duration.toMillis(uploadLease) / 3)),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    leaseUntil,
    keepRenewed: (blobId) =>
      Scoped.acquire(
        Effect.sync(() => active.add(blobId)),
        () => Effect.sync(() => active.delete(blobId))
      )
  }
})
