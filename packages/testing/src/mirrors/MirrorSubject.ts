/**
 * What the contract suite of mirror targets is run on. An adapter's test supplies it as a layer, which starts a server
 * where one is needed.
 */
import type { MirrorTarget } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

/** An object as it truly stands. */
export interface ReadBack {
  readonly bytes: Uint8Array
  /** With the names of metadata that the adapter was given, where it had to spell them otherwise. */
  readonly description: ObjectDescription
}

export interface Fresh {
  readonly target: MirrorTarget
  /** What stands under a name, told by other means than the adapter's. */
  readonly readBack: (name: string) => Effect.Effect<Option.Option<ReadBack>>
}

type Opening = Effect.Effect<MirrorTarget, MirrorTargetError, Scope.Scope>

export class MirrorSubject extends Context.Service<
  MirrorSubject,
  {
    /** Opens a target on a bucket that is empty and nobody else's. */
    readonly fresh: Effect.Effect<Fresh, MirrorTargetError, Scope.Scope>
    /** Targets that cannot work. */
    readonly broken: {
      /** At the true service, with a key that is not the account's. */
      readonly wrongCredentials: Opening
      /** At the true service, on a bucket that is not there. */
      readonly missingBucket: Opening
      /** At a port that nobody listens on. */
      readonly closedPort: Opening
      /** At the true service, which is at an address that the adapter was not allowed to connect to. */
      readonly privateAddress: Opening
    }
    /** Texts that no error may contain: the keys of all these targets. */
    readonly secrets: ReadonlyArray<string>
  }
>()("@holdfast/testing/mirrors/MirrorSubject") {}
