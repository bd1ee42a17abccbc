/**
 * The targets that a worker uses. They are kept open for a while, with their connections; other credentials open anew.
 */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Hash from "effect/Hash"
import * as RcMap from "effect/RcMap"
import type { StoredMirror } from "../StoredMirror.ts"
import * as TargetOpener from "./TargetOpener.ts"

/** A mirror as far as its target is concerned. */
class Opening implements Equal.Equal {
  readonly mirror: StoredMirror

  constructor(mirror: StoredMirror) {
    this.mirror = mirror
  }

  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof Opening && that.mirror.id === this.mirror.id && that.mirror.revision === this.mirror.revision
  }

  [Hash.symbol](): number {
    return Hash.string(`${this.mirror.id} ${this.mirror.revision}`)
  }
}

/** Gives the target of a mirror, open until the scope closes. */
export const make = Effect.gen(function* () {
  const { ofMirror } = yield* TargetOpener.make
  const opened = yield* RcMap.make({
    lookup: ({ mirror }: Opening) => ofMirror(mirror),
    idleTimeToLive: "1 minute"
  })
  return (mirror: StoredMirror) => {
    const opening = new Opening(mirror)
    return Effect.tapError(RcMap.get(opened, opening), () => RcMap.invalidate(opened, opening))
  }
})
