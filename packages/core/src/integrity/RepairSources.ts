/**
 * The port that finds copies of a content outside of the blob store.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { MetadataError } from "../MetadataError.ts"
import type { CheckedBlob } from "./Damage.ts"

/** A copy that may have the bytes of a content. */
export interface RepairSource {
  /** Where the copy is, for the log: the id of a mirror. */
  readonly name: string
  /** Reads the copy. The reader verifies the bytes. */
  readonly read: Stream.Stream<Uint8Array, { readonly message: string }>
}

export interface RepairSources {
  /** Returns the copies of a content, those first that are likely to be good. */
  readonly find: (blob: CheckedBlob) => Effect.Effect<ReadonlyArray<RepairSource>, MetadataError>
}

/** By default there are no copies. */
export const RepairSources = Context.Reference<RepairSources>("@holdfast/core/integrity/RepairSources", {
  defaultValue: () => ({ find: () => Effect.succeed([]) })
})
