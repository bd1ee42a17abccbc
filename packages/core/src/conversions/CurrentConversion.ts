/**
 * From a file to its content, and from that to its conversion.
 */
import * as Effect from "effect/Effect"
import type { NotFound } from "../Errors.ts"
import type { Content } from "../files/File.ts"
import { ContentNotUploaded } from "../files/FileErrors.ts"
import { find } from "../files/FileLookup.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { FileRef } from "../files/FileRef.ts"
import type { FileRepository } from "../files/FileRepository.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Format } from "../transcoding/Presentation.ts"
import type { ConversionRepository } from "./ConversionRepository.ts"
import type { StoredConversion } from "./StreamRecord.ts"

export interface Current {
  readonly fileId: string
  readonly content: Content
}

/** The file's content as it stands now. */
export const contentOf = (
  files: FileRepository["Service"],
  ref: FileRef
): Effect.Effect<Current, NotFound | ContentNotUploaded | MetadataError> =>
  Effect.flatMap(find(files, ref), ({ content, id }) =>
    content === null ? Effect.fail(new ContentNotUploaded()) : Effect.succeed({ fileId: id, content })
  )

/** The conversion of a content; undefined when nobody has asked for it. */
export const conversionOf = (
  conversions: ConversionRepository["Service"],
  bucket: BucketRef,
  blobId: string,
  format: Format
): Effect.Effect<StoredConversion | undefined, MetadataError> =>
  Effect.map(conversions.ofContent(bucket, blobId), (all) => all.find((one) => one.format === format))
