/**
 * The subject of the contract suite of mirror targets. The test of an adapter provides it as a layer, which starts a server if
 * the adapter needs one.
 */
import type { MirrorTarget } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

/** An object as another client reads it. */
export interface ReadBack {
  readonly bytes: Uint8Array
  /** With the names of metadata as the adapter got them, also where it has to spell them differently. */
  readonly description: ObjectDescription
}

export interface FreshTarget {
  readonly target: MirrorTarget
  /** Reads an object by its name, by other means than those of the adapter. */
  readonly readBack: (name: string) => Effect.Effect<Option.Option<ReadBack>>
}

type Open = Effect.Effect<MirrorTarget, MirrorTargetError, Scope.Scope>

export class MirrorSubject extends Context.Service<
  MirrorSubject,
  {
    /** Opens a target on an empty bucket that no other test uses. */
    readonly fresh: Effect.Effect<FreshTarget, MirrorTargetError, Scope.Scope>
    /** Opens targets that fail. */
    readonly broken: {
      /** At the right service, with a key that the account does not have. */
      readonly wrongCredentials: Open
      /** At the right service, on a bucket that does not exist. */
      readonly missingBucket: Open
      /** At a port on which no program listens. */
      readonly closedPort: Open
      /** At the right service, whose address the adapter is not allowed to connect to. */
      readonly privateAddress: Open
    }
    /** Texts that no error may contain: the keys of these targets. */
    readonly secrets: ReadonlyArray<string>
  }
>()("@holdfast/testing/mirrors/MirrorSubject") {}
