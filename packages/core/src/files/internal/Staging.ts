/**
 * The first step of an upload: stores the bytes durably as a new blob that is not a file's content yet. Holds no database
 * connection while the bytes arrive.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type * as ContentRules from "../../buckets/ContentRules.ts"
import { type InvalidRequest, type NotFound, type QuotaExceeded } from "../../Errors.ts"
import type { MetadataError } from "../../MetadataError.ts"
import { Settings } from "../../Settings.ts"
import { StorageRoom } from "../../StorageRoom.ts"
import type { BlobError } from "../../storage/BlobError.ts"
import { BlobRepository } from "../../storage/BlobRepository.ts"
import { BlobStore } from "../../storage/BlobStore.ts"
import { LimitsOf } from "../../usage/UsageLimits.ts"
import * as StagedBlobs from "../../storage/internal/StagedBlobs.ts"
import * as ContentGuard from "../ContentGuard.ts"
import { type Content, etagOf } from "../File.ts"
import { ChecksumMismatch, type ContentTooLarge, LengthMismatch } from "../FileErrors.ts"
import type { ChangeRefused, HookFailed } from "../hooks/HookErrors.ts"
import * as MediaTypes from "./MediaTypes.ts"
import * as Reservation from "./Reservation.ts"

/** What the sender declares about a content. The upload fails when the content differs. */
export interface DeclaredContent {
  /** Bytes. */
  readonly length?: number | undefined
  /** Hexadecimal. */
  readonly sha256?: string | undefined
  /** A media type. When it is absent or unspecific (`MediaTypes.isUnspecific`), the type is detected. */
  readonly contentType?: string | undefined
}

/** A content to stage. */
export interface StagedContent extends DeclaredContent {
  /** The rules of the upload link that permits the upload, if one does. */
  readonly linkRules?: MediaTypes.LinkRules | undefined
  /**
   * The name of the file, if it is known before the content is read: a detected type that the bucket does not allow is then refused
   * at the first bytes.
   */
  readonly name?: string | undefined
  /** The types of the content, if they are known: then none is detected. */
  readonly types?: Pick<Content, "contentType" | "type"> | undefined
  /** The key of the blob whose bytes the content consists of, if the content is a copy: the store may have a cheaper way to make it. */
  readonly copyOf?: string | undefined
  /**
   * Returns the entity tag of the content, with its quotes, once the content was read. By default the SHA-256 is the tag; the S3
   * protocol requires the MD5.
   */
  readonly entityTag?: (() => string) | undefined
  /** Returns `Content.checksum`, once the content was read. */
  readonly checksum?: (() => string | undefined) | undefined
  /**
   * Finds the size of the content that it replaces. The limits count it no more when the new content is committed. It runs where a limit
   * on bytes applies.
   */
  readonly replacedBytes?: Effect.Effect<number, MetadataError> | undefined
}

export type StagingError =
  | InvalidRequest
  | NotFound
  | QuotaExceeded
  | ContentTooLarge
  | ContentRules.TypeNotAllowed
  | LengthMismatch
  | ChecksumMismatch
  | ChangeRefused
  | HookFailed
  | BlobError
  | MetadataError

/** Durable bytes that no file refers to yet. */
export interface Staged {
  /** Returns the content record, for a file with this name. */
  readonly contentFor: (name: string) => Effect.Effect<Content, ContentRules.TypeNotAllowed>
  /**
   * Runs the commit; call it again only after an error of the file. When it succeeds, the bytes are the file's content. When it fails with an error
   * of the file, the bytes are removed as the scope closes. When its outcome is unknown (the connection to the database
   * was lost), the bytes stay until their lease ends.
   */
  readonly commit: <A, E>(step: Effect.Effect<A, E | MetadataError>) => Effect.Effect<A, E | MetadataError>
}

/** Makes the function that stages a content. When its scope closes, bytes that were not committed are removed. */
export const make = Effect.gen(function* () {
  const store = yield* BlobStore
  const repository = yield* BlobRepository
  const settings = yield* Settings
  const room = yield* StorageRoom
  const stageBlob = yield* StagedBlobs.make
  const limitsOf = yield* LimitsOf

  return Effect.fnUntraced(function* <E, R>(
    bucket: BucketRef,
    source: Stream.Stream<Uint8Array, E, R>,
    declared: StagedContent
  ): Effect.fn.Return<Staged, StagingError | E, R | Scope.Scope> {
    const { contentType, types: known } = declared
    if (contentType !== undefined) yield* MediaTypes.check(contentType)
    yield* room.forContent(declared.length ?? 0)
    const { blobId, commit, key, rules } = yield* stageBlob(bucket)

    const { linkRules } = declared
    const typesOf = (head: Uint8Array, name: string) => known ?? MediaTypes.detect(contentType, head, name)
    const checkType = (type: string) => MediaTypes.checkAllowed(type, rules, linkRules)
    if (known !== undefined) yield* checkType(known.contentType)
    // Before the body is read: a client that waits for `100 Continue` sends none of it.
    if (contentType !== undefined && !MediaTypes.isUnspecific(contentType)) yield* checkType(contentType)
    const { name } = declared
    const guarded = yield* ContentGuard.make(source, {
      ...MediaTypes.limitOf(rules, linkRules, settings.maxUploadBytes),
      length: declared.length,
      checkHead: name === undefined ? undefined : (head) => checkType(typesOf(head, name).contentType)
    })

    const { length, replacedBytes } = declared
    const limits = yield* limitsOf(bucket)
    const reservation = Reservation.make(repository, { bucket, blobId, limits, length, replacedBytes })
    yield* reservation.declared

    const { copyOf } = declared
    const { sha256, size } = yield* copyOf === undefined || store.copy === undefined
      ? store.put(key, reservation.whileReading(guarded.content))
      : store.copy(copyOf, key)
    if (declared.length !== undefined && declared.length !== size) return yield* new LengthMismatch()
    if (declared.sha256 !== undefined && declared.sha256 !== sha256) return yield* new ChecksumMismatch()
    const head = guarded.head()

    return {
      contentFor: (name) => {
        const types = typesOf(head, name)
        return Effect.map(Effect.andThen(checkType(types.contentType), DateTime.now), (storedAt) => ({
          blobId,
          size,
          sha256,
          etag: declared.entityTag?.() ?? etagOf(sha256),
          checksum: declared.checksum?.(),
          ...types,
          storedAt
        }))
      },
      commit
    }
  })
})
