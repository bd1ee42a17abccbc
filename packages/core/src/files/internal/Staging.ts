/**
 * The first step of an upload: stores the bytes durably as a new blob that is not a file's content yet. Holds no database
 * connection while the bytes arrive.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import * as ContentRules from "../../buckets/ContentRules.ts"
import { InvalidRequest, type NotFound, type QuotaExceeded } from "../../Errors.ts"
import * as Ids from "../../Ids.ts"
import type { MetadataError } from "../../MetadataError.ts"
import * as Scoped from "../../Scoped.ts"
import { Settings } from "../../Settings.ts"
import { StorageRoom } from "../../StorageRoom.ts"
import type { BlobError } from "../../storage/BlobError.ts"
import * as BlobKey from "../../storage/BlobKey.ts"
import { BlobRepository } from "../../storage/BlobRepository.ts"
import { BlobStore } from "../../storage/BlobStore.ts"
import { LimitsOf } from "../../usage/UsageLimits.ts"
import * as UploadLeases from "../../storage/internal/UploadLeases.ts"
import * as ContentGuard from "../ContentGuard.ts"
import { type Content, etagOf } from "../File.ts"
import { ChecksumMismatch, type ContentTooLarge, LengthMismatch } from "../FileErrors.ts"
import type { ChangeRefused, HookFailed } from "../hooks/HookErrors.ts"
import * as FileSignature from "../FileSignature.ts"
import * as Reservation from "./Reservation.ts"

/** What the sender declares about a content. The upload fails when the content differs. */
export interface DeclaredContent {
  /** Bytes. */
  readonly length?: number | undefined
  /** Hexadecimal. */
  readonly sha256?: string | undefined
  /** A media type. When it is absent or unspecific (`isUnspecificType`), the type is detected. */
  readonly contentType?: string | undefined
}

/** What an upload link accepts, within the rules of the bucket. */
export interface LinkRules {
  readonly maxBytes: number
  /** Null for any. */
  readonly contentTypes: ReadonlyArray<string> | null
}

/** A content to stage. */
export interface StagedContent extends DeclaredContent {
  /** The rules of the upload link that permits the upload, if one does. */
  readonly linkRules?: LinkRules | undefined
  /**
   * The name of the file, if it is known before the content is read: a detected type that the bucket does not allow is then refused
   * at the first bytes.
   */
  readonly name?: string | undefined
  /** The key of the blob whose bytes the content consists of, if the content is a copy: the store may have a cheaper way to make it. */
  readonly copyOf?: string | undefined
  /** The size of the content that it replaces. The limits count it no more when the new content is committed. */
  readonly replacedBytes?: number | undefined
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

/**
 * Clients send the first type when they do not know the type, and `curl --data-binary` sends the second one with any data.
 */
const unspecificType = /^\s*application\/(?:octet-stream|x-www-form-urlencoded)\s*(?:;|$)/i

/** Whether a media type does not describe the content, so that the service detects the type. */
export const isUnspecificType = (contentType: string | undefined): boolean =>
  contentType === undefined || unspecificType.test(contentType)

/** The longest media type, with its parameters. RFC 6838, section 4.2 permits names of up to 255 characters. */
const maxMediaType = 512

/** Whether a text can be sent as `Content-Type` (RFC 9110, section 5.5). */
const isMediaType = (text: string): boolean => text.length <= maxMediaType && /^[\t\x20-\x7e\x80-\xff]*$/.test(text)

/** Makes the function that stages a content. When its scope closes, bytes that were not committed are removed. */
export const make = Effect.gen(function* () {
  const store = yield* BlobStore
  const repository = yield* BlobRepository
  const settings = yield* Settings
  const random = yield* SecureRandom
  const room = yield* StorageRoom
  const leases = yield* UploadLeases.make
  const limitsOf = yield* LimitsOf

  const discard = (key: string, blobId: string) =>
    Effect.andThen(store.remove(key), repository.forget([blobId])).pipe(
      // The row stays until its bytes are removed, so that the sweeper removes both after the lease.
      Effect.catch(({ reason }) =>
        Effect.logWarning("failed upload not removed; the sweeper removes it after its lease").pipe(
          Effect.annotateLogs({ blobId, reason })
        )
      )
    )

  return Effect.fnUntraced(function* <E, R>(
    bucket: BucketRef,
    source: Stream.Stream<Uint8Array, E, R>,
    declared: StagedContent
  ): Effect.fn.Return<Staged, StagingError | E, R | Scope.Scope> {
    const { contentType } = declared
    // It is sent as a header of every response with the content.
    if (contentType !== undefined && !isMediaType(contentType)) {
      return yield* InvalidRequest.at(
        "/contentType",
        `must be a media type of at most ${maxMediaType} printable Latin-1 characters`
      )
    }
    yield* room.forContent(declared.length ?? 0)
    const blobId = yield* Effect.provideService(Ids.make("blb"), SecureRandom, random)
    const key = BlobKey.make({ ...bucket, blobId })
    const now = yield* DateTime.now
    /** Whether the blob is a file's content, or may be. */
    let keepsBlob = false

    const rules = yield* Scoped.acquire(
      repository.stage({ bucket, blobId, at: now, leaseUntil: leases.leaseUntil(now) }),
      () => (keepsBlob ? Effect.void : discard(key, blobId))
    )
    yield* leases.keepRenewed(blobId)

    const declaredType = isUnspecificType(contentType) ? undefined : contentType
    const typesOf = (head: Uint8Array, name: string) => {
      const detected = FileSignature.detect(head, name)
      return { type: detected.type, contentType: declaredType ?? detected.contentType }
    }
    const { linkRules } = declared
    const checkType = (contentType: string) =>
      Effect.andThen(
        ContentRules.checkType(rules, contentType),
        linkRules === undefined ? Effect.void : ContentRules.checkLinkType(linkRules.contentTypes, contentType)
      )
    // Before the body is read: a client that waits for `100 Continue` sends none of it.
    if (declaredType !== undefined) yield* checkType(declaredType)
    const { name } = declared
    const guarded = yield* ContentGuard.make(source, {
      ...limitOf(rules, Math.min(settings.maxUploadBytes, linkRules?.maxBytes ?? Infinity)),
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
      contentFor: (name) =>
        Effect.gen(function* () {
          const types = typesOf(head, name)
          yield* checkType(types.contentType)
          return { blobId, size, sha256, etag: etagOf(sha256), ...types, storedAt: yield* DateTime.now }
        }),
      commit: (step) =>
        Effect.onExit(Effect.uninterruptible(step), (exit) =>
          Effect.sync(() => {
            keepsBlob = Exit.isSuccess(exit) || isOutcomeUnknown(exit)
          })
        )
    }
  })
})

/** The smaller one of the limit of a bucket, and that of the deployment or a link. */
const limitOf = (
  { maxFileBytes }: ContentRules.ContentRules,
  otherLimit: number
): Pick<ContentGuard.Expected, "limit" | "isOfBucket"> =>
  maxFileBytes !== null && maxFileBytes < otherLimit ? { limit: maxFileBytes, isOfBucket: true } : { limit: otherLimit }

/** After a failure of the metadata store, or a defect, the commit may have taken place. Other errors roll it back. */
const isOutcomeUnknown = <A, E>(exit: Exit.Exit<A, E | MetadataError>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some(
    (reason) => reason._tag !== "Fail" || (isTagged(reason.error) && reason.error._tag === "MetadataError")
  )

const isTagged = (error: unknown): error is { readonly _tag: string } =>
  typeof error === "object" && error !== null && "_tag" in error
