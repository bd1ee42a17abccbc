/**
 * Copies an object within the tenant. The store copies the bytes where it can.
 */
import type { Metadata, StoredFile } from "@holdfast/core/files/File"
import * as TraceMember from "@holdfast/core/files/moves/TraceMember"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Call } from "../../Call.ts"
import type { Operation } from "../../Operation.ts"
import { S3Error } from "../../S3Error.ts"
import * as S3Response from "../../S3Response.ts"
import * as BucketOf from "../BucketOf.ts"
import * as CopyChecksum from "./CopyChecksum.ts"
import * as CopySource from "./CopySource.ts"
import * as EntityTag from "../EntityTag.ts"
import * as ObjectChecksum from "../ObjectChecksum.ts"
import * as ObjectMetadata from "./ObjectMetadata.ts"
import * as StoreObject from "./StoreObject.ts"

const toItself = S3Error.of(
  "InvalidRequest",
  "An object can be copied to itself only with other metadata: send x-amz-metadata-directive: REPLACE."
)
const damaged = S3Error.of("InternalError")

const isReplace = (headers: Call["headers"], name: string): boolean => headers[name]?.toUpperCase() === "REPLACE"

/** Returns the metadata of the copy, without tags: what the request gives, or that of the source. A copy to itself keeps its trace. */
const metadataOf = (
  { metadata }: Pick<StoredFile, "metadata">,
  given: ObjectMetadata.Description | undefined,
  isToItself: boolean
): Metadata => {
  if (given === undefined) return TraceMember.withoutTrace(metadata)
  return isToItself ? TraceMember.keepTrace(metadata, given.metadata) : given.metadata
}

export const copyObject: Operation = {
  name: "CopyObject",
  method: "PUT",
  target: "object",
  header: "x-amz-copy-source",
  make: Effect.gen(function* () {
    const findBucket = yield* BucketOf.make
    const openSource = yield* CopySource.make
    const store = yield* StoreObject.make
    return Effect.fnUntraced(function* (call) {
      const { headers, tenantId } = call
      const algorithm = yield* ObjectChecksum.requested(headers)
      const bucket = yield* findBucket(call)
      const { bucket: from, download, key } = yield* openSource(call)
      const { content, file } = download
      const isReplaced = isReplace(headers, "x-amz-metadata-directive")
      const isToItself = from.bucketId === bucket.bucketId && key === call.key
      if (isToItself && !isReplaced) return yield* toItself

      yield* CopySource.checkSize(content.size)
      const given = isReplaced ? yield* ObjectMetadata.fromRequest(headers) : undefined
      const tags = isReplace(headers, "x-amz-tagging-directive")
        ? yield* ObjectMetadata.tagsOfHeader(headers["x-amz-tagging"])
        : ObjectMetadata.tagsOf(file)
      const { checksum, content: bytes, isComputed } = CopyChecksum.make(download, algorithm, tenantId)
      const contentType = given?.contentType
      const stored = yield* store(call, {
        bucket,
        key: call.key,
        content: bytes,
        description: {
          metadata: ObjectMetadata.withTags(metadataOf(file, given, isToItself), tags),
          headers: given?.headers ?? file.headers,
          contentType
        },
        options: {
          length: content.size,
          ...(content.sha256 === null ? undefined : { sha256: content.sha256 }),
          ...(contentType === undefined
            ? { types: { contentType: content.contentType, type: content.type } }
            : undefined),
          // A composite content has no blob that the store could copy as a whole.
          ...(content.isComposite === true || isComputed
            ? undefined
            : { copyOf: BlobKey.make({ ...from, blobId: content.blobId }) }),
          entityTag: () => content.etag,
          checksum
        }
      }).pipe(
        // The stored bytes are not those of the record.
        Effect.catchIf(
          ({ code }) => code === "checksum_mismatch" || code === "length_mismatch",
          () => Effect.andThen(download.reportDamage, damaged)
        )
      )
      return S3Response.xml("CopyObjectResult", [
        ["ETag", EntityTag.of(stored.etag ?? "")],
        ["LastModified", DateTime.formatIso(stored.updatedAt)],
        ...ObjectChecksum.elements(
          ObjectChecksum.find({ checksum: checksum(), sha256: stored.checksum?.sha256 ?? null })
        )
      ])
    })
  })
}
