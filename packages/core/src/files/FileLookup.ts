/**
 * From what a caller says of a file to the file.
 */
import * as Effect from "effect/Effect"
import { NotFound } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { StoredFile } from "./File.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { type FileRef, type Selector, selector as parseSelector } from "./FileRef.ts"
import type { FileRepository } from "./FileRepository.ts"

const missing = new NotFound({ resource: "file" })

/** Fails unless the bucket's id could be one. */
export const guardBucket = (bucket: BucketRef): Effect.Effect<void, NotFound> =>
  Ids.is("bkt", bucket.bucketId) ? Effect.void : Effect.fail(new NotFound({ resource: "bucket" }))

/** How to find the file, or `NotFound` when the path can name none. */
export const select = (ref: FileRef): Effect.Effect<Selector, NotFound> =>
  Ids.is("bkt", ref.bucketId)
    ? Effect.mapError(Effect.fromOption(parseSelector(ref.fileId)), () => missing)
    : Effect.fail(missing)

/** The file as it stands now, in one statement. */
export const find = (
  repository: FileRepository["Service"],
  ref: FileRef
): Effect.Effect<StoredFile, NotFound | MetadataError> =>
  Effect.flatMap(select(ref), (selector) => NotFound.unless(repository.find(ref, selector), missing))
