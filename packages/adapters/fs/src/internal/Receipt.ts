/**
 * Reads a stored file for its size and digest.
 */
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Download from "./Download.ts"
import type * as FsCall from "./FsCall.ts"

export const make = (path: string): Effect.Effect<BlobReceipt, FsCall.ErrnoError> =>
  Effect.suspend(() => {
    const hash = createHash("sha256")
    let size = 0
    const count = (chunk: Uint8Array) =>
      Effect.sync(() => {
        hash.update(chunk)
        size += chunk.byteLength
      })
    return Download.make(path, { isTransient: true }).pipe(
      Stream.runForEach(count),
      Effect.map(() => ({ size, sha256: hash.digest("hex") }))
    )
  })
