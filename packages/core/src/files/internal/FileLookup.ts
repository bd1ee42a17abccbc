/**
 * Finds the file that a caller refers to.
 */
import * as Effect from "effect/Effect"
import { folderOf, type Identity } from "../../access/Access.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { NotFound } from "../../Errors.ts"
import * as Ids from "../../Ids.ts"
import type { MetadataError } from "../../MetadataError.ts"
import type { StoredFile } from "../File.ts"
import { type FileRef, type Selector, parseSelector } from "../FileRef.ts"
import type { FileRepository } from "../FileRepository.ts"

const missing = new NotFound({ resource: "file" })

/** Fails with `NotFound` unless the bucket's id is well-formed. */
export const checkBucketId = (bucket: BucketRef): Effect.Effect<void, NotFound> =>
  Ids.is("bkt", bucket.bucketId) ? Effect.void : Effect.fail(new NotFound({ resource: "bucket" }))

/**
 * Returns the selector of the file for an identity: a token whose scope is limited to a folder finds no file outside of it. Fails with
 * `NotFound` when the bucket's or the file's id is not well-formed.
 */
export const toSelector = (ref: FileRef, identity: Identity | "anonymous"): Effect.Effect<Selector, NotFound> =>
  Ids.is("bkt", ref.bucketId)
    ? Effect.mapError(Effect.fromOption(parseSelector(ref.fileId, folderOf(identity))), () => missing)
    : Effect.fail(missing)

/** Returns the file's current record, in one statement, for an identity that has the permission for the bucket. */
export const getFile = (
  repository: FileRepository["Service"],
  ref: FileRef,
  identity: Identity | "anonymous"
): Effect.Effect<StoredFile, NotFound | MetadataError> =>
  Effect.flatMap(toSelector(ref, identity), (selector) => NotFound.whenNone(repository.find(ref, selector), missing))
