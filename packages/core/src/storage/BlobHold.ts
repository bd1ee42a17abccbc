/**
 * Keeps the sweeper of every node from removing blobs, for a backup: the metadata that it has copied refer to blobs that may be
 * replaced or removed before it has copied them.
 */
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { MetadataError } from "../MetadataError.ts"
import { BlobRepository } from "./BlobRepository.ts"

/** How long blobs stay held after the last renewal, as when the process died: minutes in which no space is freed. */
const lease = Duration.minutes(10)

/** Several renewals may fail before the hold ends. */
const renewalInterval = Duration.minutes(1)

/** Holds all blobs until the scope closes. */
export const acquire: Effect.Effect<void, MetadataError, BlobRepository | SecureRandom | Scope.Scope> = Effect.gen(
  function* () {
    const repository = yield* BlobRepository
    const holdId = yield* (yield* SecureRandom).uuidV7()
    const hold = Effect.flatMap(DateTime.now, (now) =>
      repository.hold({ holdId, now, until: DateTime.addDuration(now, lease) })
    )
    const release = Effect.catch(repository.releaseHold(holdId), ({ reason }) =>
      Effect.logWarning("hold of blobs not released; it ends by itself").pipe(Effect.annotateLogs({ holdId, reason }))
    )
    yield* Effect.acquireRelease(hold, () => release)
    yield* hold.pipe(
      Effect.catch(({ reason }) =>
        Effect.logWarning("hold of blobs not renewed").pipe(Effect.annotateLogs({ holdId, reason }))
      ),
      Effect.delay(renewalInterval),
      Effect.forever,
      Effect.forkScoped
    )
  }
)
