/**
 * Creates an upload, after the checks that its completion will make again.
 */
import * as DateTime from "effect/DateTime"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { Access, type AccessError, folderOf } from "../../access/Access.ts"
import type { Actor } from "../../Actor.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { NotFound } from "../../Errors.ts"
import { ContentTooLarge } from "../../files/FileErrors.ts"
import { ShareExhausted } from "../../files/shares/Share.ts"
import { FileRepository } from "../../files/FileRepository.ts"
import { checkBucketId } from "../../files/internal/FileLookup.ts"
import * as HeaderLimit from "../../files/internal/HeaderLimit.ts"
import * as MediaTypes from "../../files/internal/MediaTypes.ts"
import * as StoreFile from "../../files/internal/StoreFile.ts"
import * as NewFile from "../../files/NewFile.ts"
import type { Precondition } from "../../files/Precondition.ts"
import * as Ids from "../../Ids.ts"
import { Settings } from "../../Settings.ts"
import { StorageRoom } from "../../StorageRoom.ts"
import { LimitsOf, within } from "../../usage/UsageLimits.ts"
import type { StoredUpload, UploadMode, UploadTerms } from "../Upload.ts"
import { type UploadRef, UploadRepository } from "../UploadRepository.ts"
import * as DeclaredLength from "./DeclaredLength.ts"
import * as Partials from "./Partials.ts"

/** What an upload makes, and on which conditions. */
export interface NewUpload {
  /** How the bytes arrive. Default: `APPEND`. */
  readonly mode?: UploadMode | undefined
  /** Bytes of the whole content, if they are known. They are reserved then, unless a link permits the upload. */
  readonly length?: number | undefined
  /** A media type; detected from the first bytes when it is absent or unspecific. */
  readonly contentType?: string | undefined
  /** What happens if the bucket has a file at the place of the new one. Default: `fail`. */
  readonly onConflict?: NewFile.OnConflict | undefined
  /** The precondition of the change, checked now and at the completion. */
  readonly condition?: Precondition | undefined
  /** The rules of the upload link that permits the upload, if one does. */
  readonly linkRules?: MediaTypes.LinkRules | undefined
  /** Identifies the upload link, and its creator (`Upload.terms.link`). */
  readonly link?: string | undefined
  /** Identifies the client that has the link, such as by its address: the clients of one link share its places. */
  readonly client?: string | undefined
  /** Texts that the caller gets back with the upload. */
  readonly notes?: { readonly [name: string]: string } | undefined
  /**
   * Whether the upload makes no file: its bytes become those of another upload, by `partials`. It needs no
   * description.
   */
  readonly isPartial?: boolean | undefined
  /**
   * The ids of partial uploads of the bucket, which must have all of their bytes. The new upload has the bytes of all
   * of them, in this order, without a copy; they end. At most 100.
   */
  readonly partials?: ReadonlyArray<string> | undefined
}

/** The most open uploads of a tenant. */
export const maxOpenUploads = 1000

/**
 * The most of them when a link or share creates another one: its holder cannot keep the members of the tenant from
 * uploading.
 */
const maxOpenForLinks = 900

/** The most of them by one link or share, so that its holders leave some to those of others. One client has at most half of them. */
export const maxOfLink = 200

/** How long an upload by a link stays open to which no request appends. Its holder may create it without sending any bytes. */
const emptyForLinks = Duration.hours(1)

/** The same by a share, whose room it has: a client that did not get the answer creates another one, which must find room. */
const emptyForShares = Duration.minutes(2)

type Find = (actor: Actor, ref: UploadRef) => Effect.Effect<{ readonly upload: StoredUpload }, AccessError | NotFound>

const missing = new NotFound({ resource: "upload" })

/**
 * Makes the function that creates an upload. `find` finds an upload that the actor may continue, or that is done.
 */
export const make = Effect.fnUntraced(function* (find: Find) {
  const access = yield* Access
  const files = yield* FileRepository
  const uploads = yield* UploadRepository
  const settings = yield* Settings
  const random = yield* SecureRandom
  const room = yield* StorageRoom
  const limitsOf = yield* LimitsOf
  const checkHeaders = yield* HeaderLimit.makeForNew

  const newId = (kind: Ids.Kind) => Effect.provideService(Ids.make(kind), SecureRandom, random)

  const findPartials = Effect.fnUntraced(function* (
    actor: Actor,
    { bucketId, tenantId }: BucketRef,
    ids: ReadonlyArray<string>
  ) {
    return yield* Effect.forEach(ids, (uploadId) =>
      Effect.flatMap(find(actor, { tenantId, bucketId, uploadId }), ({ upload }) =>
        upload.state === "OPEN" ? Effect.succeed(upload) : Effect.fail(missing)
      )
    )
  })

  /** Finds the completed upload of partial ones: the client repeats its request, because the answer did not arrive. */
  const findJoined = Effect.fnUntraced(function* (
    actor: Actor,
    { bucketId, tenantId }: BucketRef,
    ids: ReadonlyArray<string>,
    terms: UploadTerms
  ) {
    const [uploadId = ""] = ids
    const partial = yield* NotFound.whenNone(uploads.find({ tenantId, bucketId, uploadId }), missing)
    const joinedBy = partial.upload.terms.joinedBy
    if (joinedBy === undefined) return yield* missing
    const { upload } = yield* find(actor, { tenantId, bucketId, uploadId: joinedBy })
    return yield* Partials.isOf(upload, ids, terms) ? Effect.succeed(upload) : Effect.fail(missing)
  })

  return Effect.fnUntraced(function* (
    actor: Actor,
    { bucketId, tenantId }: BucketRef,
    input: unknown,
    options: NewUpload
  ) {
    const bucket = { tenantId, bucketId }
    const identity = yield* access.require(actor, bucket, "file:write")
    yield* checkBucketId(bucket)
    const {
      client = null,
      condition = {},
      contentType,
      isPartial = false,
      length,
      link,
      linkRules,
      mode = "APPEND",
      notes,
      onConflict = "fail",
      partials
    } = options
    const folder = folderOf(identity)
    const description = yield* NewFile.decode(isPartial ? { name: "part", path: folder ?? "/" } : input)
    const { path = "/", name } = description
    if (folder !== undefined) yield* access.require(actor, { ...bucket, path }, "file:write")
    if (contentType !== undefined) yield* MediaTypes.check(contentType)
    if (length !== undefined) yield* DeclaredLength.check(length, { length: null, received: 0 })
    const terms = {
      description,
      contentType: contentType ?? null,
      onConflict,
      condition,
      linkRules: linkRules ?? null,
      ...(link === undefined ? undefined : { link }),
      ...(actor._tag === "Share" ? { shareId: actor.shareId } : undefined),
      ...(notes === undefined ? undefined : { notes }),
      ...(isPartial ? { isPartial } : undefined)
    }
    if (partials !== undefined) yield* Partials.checkIds(partials)
    const sources = yield* Effect.result(findPartials(actor, bucket, partials ?? []))
    if (Result.isFailure(sources)) {
      const { failure } = sources
      return yield* failure._tag === "NotFound" && partials !== undefined
        ? findJoined(actor, bucket, partials, terms)
        : failure
    }
    // The sum of the open uploads of a share would not be exact with lengths beyond all limits.
    if (actor._tag === "Share" && length !== undefined && length > (linkRules?.maxBytes ?? Infinity)) {
      return yield* new ShareExhausted({ limit: "maxBytes" })
    }
    const isFinal = sources.success.length > 0
    const size = isFinal ? yield* Partials.checkAll(sources.success, link) : length
    yield* checkHeaders(tenantId, description.headers ?? [])
    yield* room.forContent(length ?? 0)
    let replacedFileId: string | null = null
    if (!isPartial) {
      const existing = Option.getOrNull(yield* files.find(bucket, StoreFile.toSelector({ path, name })))
      yield* StoreFile.check({ bucket, condition, folder, onConflict }, existing)
      // The partial uploads have reserved the bytes of a concatenation.
      if (onConflict === "replace" && !isFinal) replacedFileId = existing?.id ?? null
    }
    const now = yield* DateTime.now
    const upload: StoredUpload = {
      ...bucket,
      id: yield* newId("upl"),
      blobId: yield* newId("blb"),
      mode,
      terms: isFinal ? { ...terms, partials: Partials.describe(sources.success) } : terms,
      length: size ?? null,
      received: isFinal ? (size ?? 0) : 0,
      state: "OPEN",
      epoch: 0,
      revision: 0,
      answer: null,
      replacedFileId,
      client: link === undefined ? null : client,
      createdAt: now,
      expiresAt: DateTime.addDuration(
        now,
        link === undefined || isFinal
          ? settings.uploadExpiry
          : Duration.min(settings.uploadExpiry, terms.shareId === undefined ? emptyForLinks : emptyForShares)
      )
    }
    const limits = yield* limitsOf(bucket)
    const rules = yield* within(limits)(
      uploads.create(upload, { maxOpen: link === undefined ? maxOpenUploads : maxOpenForLinks, maxOfLink })
    )
    const ref = { ...bucket, uploadId: upload.id }
    const refuse = <E>(error: E) => Effect.andThen(uploads.abort(ref), Effect.fail(error))
    const { isOfBucket, limit } = MediaTypes.limitOf(rules, linkRules, settings.maxUploadBytes)
    if (size !== undefined && size > limit) return yield* refuse(new ContentTooLarge({ limit, isOfBucket }))
    if (contentType !== undefined && !MediaTypes.isUnspecific(contentType)) {
      yield* Effect.catchTag(MediaTypes.checkAllowed(contentType, rules, linkRules), "TypeNotAllowed", refuse)
    }
    return upload
  })
})
