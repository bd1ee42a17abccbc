/**
 * Collects when keys were last used and writes the times in batches, so that a read request costs no write.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { AccessRepository } from "../AccessRepository.ts"

export interface KeyUseRecorder {
  /** Records a use of a key, at a time in epoch milliseconds. Returns at once; a later flush writes it. */
  readonly record: (credentialId: string, at: number) => void
}

/** The time of a key's last use is written at most once in this many milliseconds. */
const granularity = 60_000

/** The most keys that are remembered. */
const capacity = 10_000

/** Makes a recorder that flushes every 15 seconds, and once more when its scope closes. */
export const make: Effect.Effect<KeyUseRecorder, never, AccessRepository | Scope.Scope> = Effect.gen(function* () {
  const repository = yield* AccessRepository
  const written = new Map<string, number>()
  const pending = new Map<string, number>()

  const flush = Effect.suspend(() => {
    if (pending.size === 0) return Effect.void
    const uses = [...pending].map(([credentialId, at]) => ({ credentialId, at: DateTime.makeUnsafe(at) }))
    if (written.size > capacity) written.clear()
    for (const [id, at] of pending) written.set(id, at)
    pending.clear()
    // A lost batch is not retried: the next use of each key records a later time.
    return Effect.catch(repository.recordUse(uses), ({ reason }) =>
      Effect.logWarning("last use of keys not recorded").pipe(Effect.annotateLogs({ keys: uses.length, reason }))
    )
  })

  yield* Effect.addFinalizer(() => flush)
  yield* flush.pipe(Effect.delay("15 seconds"), Effect.forever, Effect.forkScoped)

  return {
    record: (credentialId, at) => {
      if (at - (written.get(credentialId) ?? -Infinity) >= granularity && pending.size < capacity) {
        pending.set(credentialId, at)
      }
    }
  }
})
