/**
 * The blob directory as the consistency check sees it, without the lock that a running service holds: it looks, and
 * removes what has no row. It cannot take contents in or give them out.
 */
import * as BlobError from "@holdfast/core/storage/BlobError"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as BlobFiles from "@holdfast/fs/BlobFiles"
import * as Layout from "@holdfast/fs/Layout"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const unsupported = (operation: string) =>
  new BlobError.BlobError({
    reason: "Internal",
    operation,
    cause: new Error("the directory is open for a check alone")
  })

/**
 * Right beside a running service: a blob without a row is one that no upload and no reader knows of, since the row comes
 * before the first byte and goes after the last.
 */
export const layer = (directory: string): Layer.Layer<BlobStore> => {
  const layout = Layout.make(directory)
  return Layer.succeed(
    BlobStore,
    BlobStore.of({
      put: () => Effect.fail(unsupported("put")),
      read: () => Stream.fail(unsupported("read")),
      stat: (key) => BlobFiles.stat(layout, key),
      remove: (key) => BlobFiles.remove(layout, key),
      list: (prefix) => BlobFiles.list(layout, prefix),
      localFile: () => undefined,
      check: Effect.fail(unsupported("check")),
      capabilities: { name: "fs", localFiles: false, shared: false }
    })
  )
}
