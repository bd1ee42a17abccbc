/**
 * The blob directory without the lock that a running service holds, for the consistency check and for backups: it lists, reads
 * and removes blobs, but cannot store them.
 */
import * as BlobError from "@holdfast/core/storage/BlobError"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as BlobFiles from "@holdfast/fs/BlobFiles"
import * as Layout from "@holdfast/fs/Layout"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const unsupported = (operation: string) =>
  new BlobError.BlobError({ reason: "Internal", operation, cause: new Error("the directory is open without its lock") })

/**
 * Removing blobs is safe while a service runs: a row exists before the first byte of its blob and until after the last,
 * so no upload and no reader uses a blob without a row.
 */
export const layer = (directory: string): Layer.Layer<BlobStore> => {
  const layout = Layout.make(directory)
  return Layer.succeed(
    BlobStore,
    BlobStore.of({
      put: () => Effect.fail(unsupported("put")),
      read: (key, options) => BlobFiles.read(layout, key, options),
      stat: (key) => BlobFiles.stat(layout, key),
      remove: (key) => BlobFiles.remove(layout, key),
      list: (prefix) => BlobFiles.list(layout, prefix),
      localFile: () => undefined,
      check: Effect.fail(unsupported("check")),
      capabilities: { name: "fs", localFiles: false, shared: false }
    })
  )
}
