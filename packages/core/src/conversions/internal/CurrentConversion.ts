/**
 * Looks up a file's current content, and the conversion of a content.
 */
import * as Effect from "effect/Effect"
import type { Identity } from "../../access/Access.ts"
import type { NotFound } from "../../Errors.ts"
import type { Content } from "../../files/File.ts"
import { ContentNotUploaded } from "../../files/FileErrors.ts"
import { getFile } from "../../files/internal/FileLookup.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { FileRef } from "../../files/FileRef.ts"
import type { FileRepository } from "../../files/FileRepository.ts"
import type { MetadataError } from "../../MetadataError.ts"
import type { Format } from "../../transcoding/Presentation.ts"
import type { ConversionRepository } from "../ConversionRepository.ts"
import type { StoredConversion } from "../StoredConversion.ts"

interface CurrentContent {
  readonly fileId: string
  readonly content: Content
}

/** Returns the file's id and its current content. `ContentNotUploaded` for a file without content. */
export const getContent = (
  files: FileRepository["Service"],
  ref: FileRef,
  identity: Identity
): Effect.Effect<CurrentContent, NotFound | ContentNotUploaded | MetadataError> =>
  Effect.flatMap(getFile(files, ref, identity), ({ content, id }) =>
    content === null ? Effect.fail(new ContentNotUploaded()) : Effect.succeed({ fileId: id, content })
  )

/** Returns the conversion of a content to a format; undefined if none was requested. */
export const findConversion = (
  conversions: ConversionRepository["Service"],
  bucket: BucketRef,
  blobId: string,
  format: Format
): Effect.Effect<StoredConversion | undefined, MetadataError> =>
  Effect.map(conversions.listByContent(bucket, blobId), (all) => all.find((one) => one.format === format))
