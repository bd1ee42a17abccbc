/**
 * Keeps the leases of uploads that are under way in this process, so that a sweeper elsewhere tells them from dead ones.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Scoped from "../Scoped.ts"
import { Settings } from "../Settings.ts"
import { BlobRepository } from "./BlobRepository.ts"

export interface Leases {
  /** When a lease that begins now ends, unless it is renewed. */
  readonly end: (now: DateTime.Utc) => DateTime.Utc
  /** From here on the blob's lease is renewed, until the scope closes. */
  readonly keep: (blobId: string) => Effect.Effect<void, never, Scope.Scope>
}

/** Renews every third of a lease, all uploads in one statement; none under way, none sent. */
export const make: Effect.Effect<Leases, never, BlobRepository | Scope.Scope> = Effect.gen(function* () {
  const repository = yield* BlobRepository
  const { uploadLease } = yield* Settings
  const live = new Set<string>()
  const end = (now: DateTime.Utc) => DateTime.addDuration(now, uploadLease)

  const renew = Effect.gen(function* () {
    if (live.size === 0) return
    yield* repository.renew([...live], end(yield* DateTime.now))
  }).pipe(
    // Two more tries fit into the lease; an upload that loses it fails at its commit and can be sent again.
    Effect.catch((error) => Effect.logWarning("Could not renew the leases of uploads", error.reason))
  )
  yield* renew.pipe(
    Effect.delay(Duration.millis(Duration.toMillis(uploadLease) / 3)),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    end,
    keep: (blobId) =>
      Scoped.acquire(
        Effect.sync(() => live.add(blobId)),
        () => Effect.sync(() => live.delete(blobId))
      )
  }
})
