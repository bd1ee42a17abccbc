/**
 * Opens the contents of files for reading.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import type { NotFound } from "../Errors.ts"
import type { BlobError } from "../storage/BlobError.ts"
import * as BlobKey from "../storage/BlobKey.ts"
import { BlobStore, type ByteRange } from "../storage/BlobStore.ts"
import type { Content, StoredFile } from "./File.ts"
import { ContentNotUploaded } from "./FileErrors.ts"
import { getFile } from "./internal/FileLookup.ts"
import type { FileRef } from "./FileRef.ts"
import { FileRepository } from "./FileRepository.ts"

/** One version of a file, ready to be read. After a replacement it stays readable for `Settings.blobGrace`. */
export interface Download {
  readonly file: StoredFile
  readonly content: Content
  /** Reads the bytes, or a range of them. Each call starts a new read. */
  readonly read: (range?: ByteRange) => Stream.Stream<Uint8Array, BlobError>
  /** The path of a local file that holds exactly the bytes; undefined when the store has none. The file may be removed before
   * the caller opens it. */
  readonly localFile: string | undefined
}

export class Downloads extends Context.Service<
  Downloads,
  {
    /**
     * Finds a file's current content, in one statement besides the key check. Reads no bytes yet. Fails with
     * `ContentNotUploaded` when the file is RESERVED.
     */
    readonly open: (actor: Actor, file: FileRef) => Effect.Effect<Download, AccessError | NotFound | ContentNotUploaded>
  }
>()("@holdfast/core/files/Downloads") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* FileRepository
  const store = yield* BlobStore

  const toDownload = (ref: FileRef, file: StoredFile): Effect.Effect<Download, ContentNotUploaded> => {
    const { content } = file
    if (content === null) return Effect.fail(new ContentNotUploaded())
    const key = BlobKey.make({ tenantId: ref.tenantId, bucketId: ref.bucketId, blobId: content.blobId })
    return Effect.succeed({
      file,
      content,
      read: (range) => store.read(key, { range }),
      localFile: store.localFile(key)
    })
  }

  return Downloads.of({
    open: (actor, ref) =>
      access.require(actor, ref.tenantId, "file:read").pipe(
        Effect.andThen(getFile(repository, ref)),
        Effect.flatMap((file) => toDownload(ref, file))
      )
  })
})

export const layer: Layer.Layer<Downloads, never, Access | FileRepository | BlobStore> = Layer.effect(Downloads, make)
