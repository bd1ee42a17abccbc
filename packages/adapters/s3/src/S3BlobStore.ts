/**
 * A BlobStore on S3 or a service compatible with it, for any number of processes.
 *
 * Nothing is visible of an object before its last byte is there, since S3 has it so. When a `put` fails because the
 * service's last answer was lost, the blob may stand nevertheless, as a whole: `Sweeper` removes it in its time. A
 * process that dies may leave parts, which cost room and are invisible: `StaleUploads.sweep` removes them.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as BlobObjects from "./BlobObjects.ts"
import * as Connection from "./Connection.ts"
import type * as S3Options from "./S3Options.ts"
import * as Upload from "./Upload.ts"

const mebibyte = 1024 * 1024
const minPartBytes = 5 * mebibyte

/** Opens the store; no request is made. */
export const make = (
  options: S3Options.Options
): Effect.Effect<BlobStore.BlobStore["Service"], BlobError.BlobError, Scope.Scope> =>
  Effect.gen(function* () {
    const connection = yield* Connection.make(options)
    const sizes = {
      partBytes: Math.max(minPartBytes, options.partBytes ?? 8 * mebibyte),
      partConcurrency: Math.max(1, options.partConcurrency ?? 3)
    }

    return BlobStore.BlobStore.of({
      put: (key, content) => Upload.put(connection, sizes, key, content),
      read: (key, options) => BlobObjects.read(connection, key, options?.range),
      stat: (key) => BlobObjects.stat(connection, key),
      remove: (key) => BlobObjects.remove(connection, key),
      list: (prefix) => BlobObjects.list(connection, prefix),
      localFile: () => undefined,
      check: BlobObjects.check(connection),
      capabilities: { name: "s3", localFiles: false, shared: true }
    })
  })

export const layer = (options: S3Options.Options): Layer.Layer<BlobStore.BlobStore, BlobError.BlobError> =>
  Layer.effect(BlobStore.BlobStore, make(options))
