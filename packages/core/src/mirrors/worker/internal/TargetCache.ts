/**
 * The targets that a worker has open. A target stays open, with its connections, for a minute after its last use. A change of
 * credentials opens it again.
 */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Hash from "effect/Hash"
import * as RcMap from "effect/RcMap"
import type * as Redacted from "effect/Redacted"
import type { MetadataError } from "../../../MetadataError.ts"
import { SecretBox, type SecretError } from "../../../secrets/SecretBox.ts"
import { MirrorTargetError } from "../../targets/MirrorTargetError.ts"
import * as TargetOpener from "../../targets/internal/TargetOpener.ts"
import * as TargetTypes from "../../targets/types/TargetTypes.ts"
import { MirrorTaskRepository } from "../MirrorTaskRepository.ts"
import type { StoredMirror } from "../../StoredMirror.ts"

/** A key of the cache. Equal for the same mirror with the same address and secret. */
class CacheKey implements Equal.Equal {
  readonly mirror: StoredMirror

  constructor(mirror: StoredMirror) {
    this.mirror = mirror
  }

  [Equal.symbol](that: Equal.Equal): boolean {
    return (
      that instanceof CacheKey && that.mirror.id === this.mirror.id && that.mirror.revision === this.mirror.revision
    )
  }

  [Hash.symbol](): number {
    return Hash.string(`${this.mirror.id} ${this.mirror.revision}`)
  }
}

const denied = (detail: string) => new MirrorTargetError({ reason: "Denied", operation: "open", detail })

/** Returns a function that gives the target of a mirror, open until the scope closes. */
export const make = Effect.gen(function* () {
  const tasks = yield* MirrorTaskRepository
  const box = yield* SecretBox
  const opener = yield* TargetOpener.make

  /** A failure is only logged: the former key still opens the secret. */
  const reseal = (mirror: StoredMirror, secret: Redacted.Redacted) =>
    box.seal(secret, mirror.id).pipe(
      Effect.flatMap((current) => tasks.reseal({ mirrorId: mirror.id, former: mirror.secret, current })),
      Effect.catch((error: MetadataError | SecretError) =>
        Effect.logWarning("mirror secret not sealed with the current key", {
          mirrorId: mirror.id,
          reason: error.reason
        })
      )
    )

  const open = Effect.fnUntraced(function* (mirror: StoredMirror) {
    const secret = yield* Effect.catchTag(box.open(mirror.secret, mirror.id), "SecretError", () =>
      Effect.fail(denied("The stored credentials can no longer be decrypted; give the mirror new ones."))
    )
    if (box.isStale(mirror.secret)) yield* reseal(mirror, secret)
    return yield* opener
      .open(TargetTypes.toLocation({ address: mirror.address, secret }), mirror)
      .pipe(Effect.catchTag("MirrorTypeUnavailable", ({ message }) => Effect.fail(denied(message))))
  })

  const opened = yield* RcMap.make({ lookup: ({ mirror }: CacheKey) => open(mirror), idleTimeToLive: "1 minute" })

  return (mirror: StoredMirror) => {
    const key = new CacheKey(mirror)
    return Effect.tapError(RcMap.get(opened, key), () => RcMap.invalidate(opened, key))
  }
})
