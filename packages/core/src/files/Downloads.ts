/**
 * Opens the contents of files for reading.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Access, type AccessError } from "../access/Access.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { NotFound } from "../Errors.ts"
import { DamageReports } from "../integrity/DamageReports.ts"
import { authorize, checkVersion, type LinkAction, type Reader } from "./links/Link.ts"
import type { BlobRepository } from "../storage/BlobRepository.ts"
import { BlobStore } from "../storage/BlobStore.ts"
import * as CompositeParts from "../storage/CompositeParts.ts"
import * as StoredContent from "./StoredContent.ts"
import type { Content, StoredFile } from "./File.ts"
import { ContentDamaged, ContentNotUploaded } from "./FileErrors.ts"
import { getFile } from "./internal/FileLookup.ts"
import type { FileRef } from "./FileRef.ts"
import { FileRepository } from "./FileRepository.ts"

/** One version of a file, ready to be read. After a replacement it stays readable for `Settings.blobGrace`. */
export interface Download extends StoredContent.StoredContent {
  readonly file: StoredFile
  readonly content: Content
}

export class Downloads extends Context.Service<
  Downloads,
  {
    /**
     * Finds a file's current content, in one statement besides the key check. Reads no bytes yet. Fails with
     * `ContentNotUploaded` when the file is RESERVED, with `ContentDamaged` when its bytes are known to be damaged, and with
     * `Unauthenticated` for a link that is for another file or action.
     *
     * @param action What the reader does with the content; `view` when absent.
     */
    readonly open: (
      reader: Reader,
      file: FileRef,
      action?: LinkAction
    ) => Effect.Effect<Download, AccessError | NotFound | ContentNotUploaded | ContentDamaged>

    /** As `open`, for a file that the caller has found with the permission `file:read`. */
    readonly ofFile: (
      bucket: BucketRef,
      file: StoredFile
    ) => Effect.Effect<Download, ContentNotUploaded | ContentDamaged>
  }
>()("@holdfast/core/files/Downloads") {}

const missing = Effect.fail(new NotFound({ resource: "file" }))

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* FileRepository
  const store = yield* BlobStore
  const reports = yield* DamageReports
  const findParts = yield* CompositeParts.make

  const toDownload = (
    { bucketId, tenantId }: BucketRef,
    file: StoredFile
  ): Effect.Effect<Download, ContentNotUploaded | ContentDamaged> => {
    const { content } = file
    if (content === null) return Effect.fail(new ContentNotUploaded())
    if (file.damaged) return Effect.fail(new ContentDamaged())
    const { blobId, isComposite, size } = content
    const stored = StoredContent.ofContent(store, reports, findParts, { tenantId, bucketId, blobId, size, isComposite })
    return Effect.succeed({ file, content, ...stored })
  }

  return Downloads.of({
    ofFile: toDownload,

    open: (reader, ref, action = "view") => {
      const opened = authorize(access, reader, ref, action).pipe(
        Effect.flatMap((identity) => getFile(repository, ref, identity)),
        Effect.flatMap((file) => checkVersion(reader, file)),
        Effect.flatMap((file) => toDownload(ref, file))
      )
      // What anyone may know is the contents, not which names are reserved.
      return reader._tag === "Anonymous" ? Effect.catchTag(opened, "ContentNotUploaded", () => missing) : opened
    }
  })
})

export const layer: Layer.Layer<Downloads, never, Access | BlobRepository | FileRepository | BlobStore> = Layer.effect(
  Downloads,
  make
)
