/**
 * Remembers when keys were last used, and writes it down now and then: a read must not cost a write.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { AccessRepository } from "./AccessRepository.ts"

export interface KeyUse {
  /** Notes a use of a key, at a time in epoch milliseconds. */
  readonly note: (credentialId: string, at: number) => void
}

/** A key's use is written at most this often. */
const granularity = 60_000
const capacity = 10_000

/** A collector that writes every 15 seconds, and once more when its scope closes. */
export const make: Effect.Effect<KeyUse, never, AccessRepository | Scope.Scope> = Effect.gen(function* () {
  const repository = yield* AccessRepository
  const written = new Map<string, number>()
  const pending = new Map<string, number>()

  const flush = Effect.suspend(() => {
    if (pending.size === 0) return Effect.void
    const uses = [...pending].map(([credentialId, at]) => ({ credentialId, at: DateTime.makeUnsafe(at) }))
    if (written.size > capacity) written.clear()
    for (const [id, at] of pending) written.set(id, at)
    pending.clear()
    // A lost note is no harm: the next use of the key notes again.
    return Effect.catch(repository.touch(uses), (error) =>
      Effect.logWarning("Could not note the last use of keys", error.reason)
    )
  })

  yield* Effect.addFinalizer(() => flush)
  yield* flush.pipe(Effect.delay("15 seconds"), Effect.forever, Effect.forkScoped)

  return {
    note: (credentialId, at) => {
      if (at - (written.get(credentialId) ?? -Infinity) >= granularity && pending.size < capacity) {
        pending.set(credentialId, at)
      }
    }
  }
})
