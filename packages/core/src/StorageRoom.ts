/**
 * Whether the deployment's own disk has room. A full disk must not keep anybody from deleting files and revoking keys, which need
 * some space, too. Therefore contents and new records are refused before the disk is full.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { MetadataError } from "./MetadataError.ts"

export interface StorageRoom {
  /** Fails with `StorageFull` when a content of this many bytes has no room. */
  readonly forContent: (bytes: number) => Effect.Effect<void, MetadataError>
  /**
   * Fails with `StorageFull` when the database must not grow. Services call it before they create a record, or enlarge one. They
   * do not call it before they delete, revoke or take a permission.
   */
  readonly forRecord: Effect.Effect<void, MetadataError>
}

const unlimited: StorageRoom = { forContent: () => Effect.void, forRecord: Effect.void }

/** By default there is room: an object store and a database server have limits of their own. */
export const StorageRoom = Context.Reference<StorageRoom>("@holdfast/core/StorageRoom", {
  defaultValue: () => unlimited
})
