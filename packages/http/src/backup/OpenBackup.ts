/**
 * Opens a backup for reading: its directory may be on a medium that cannot be written.
 */
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import { BlobStore as BlobStoreService } from "@holdfast/core/storage/BlobStore"
import * as DirectoryLock from "@holdfast/fs/DirectoryLock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as BackupDirectory from "./BackupDirectory.ts"

/**
 * Locks a backup, so that no backup removes contents meanwhile, and returns its contents. Where the lock file cannot be written,
 * no other process can change the backup either.
 */
export const contents = Effect.fnUntraced(function* (directory: string) {
  yield* BackupDirectory.check(directory)
  yield* Effect.catchIf(
    DirectoryLock.acquire(directory),
    ({ reason }) => reason === "Failed",
    () => Effect.void
  )
  const context = yield* Layer.build(Layer.fresh(FsBlobStore.layerUnlocked({ directory })))
  const store: BlobStore["Service"] = Context.get(context, BlobStoreService)
  return store
})
