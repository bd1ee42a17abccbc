/**
 * Uploads in parts: contents that arrive in several requests.
 *
 * Each part is a blob of its own, durable when its request is answered. The completion makes the parts the content of a file in one
 * short transaction, without reading or copying a byte. An upload that receives nothing for `Settings.uploadExpiry` is removed.
 *
 * Protocols call this service in one of two ways (`UploadMode`): with `append` where the client continues at an offset, with `putPart`
 * where it numbers the parts.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import type { Digest } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Access, type AccessError, folderOf } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { BucketRepository } from "../buckets/BucketRepository.ts"
import type { ContentRules, TypeNotAllowed } from "../buckets/ContentRules.ts"
import { type InvalidCursor, InvalidRequest, NotFound, type PreconditionFailed, type QuotaExceeded } from "../Errors.ts"
import * as ContentGuard from "../files/ContentGuard.ts"
import type * as File from "../files/File.ts"
import {
  type AliasTaken,
  type ChecksumMismatch,
  ContentTooLarge,
  type FileExists,
  type LengthMismatch,
  type UploadExpired
} from "../files/FileErrors.ts"
import { FileRepository } from "../files/FileRepository.ts"
import type { FileWriter } from "../files/FileWriter.ts"
import { checkBucketId } from "../files/internal/FileLookup.ts"
import type { ChangeRefused, HookFailed } from "../files/hooks/HookErrors.ts"
import * as HeaderLimit from "../files/internal/HeaderLimit.ts"
import * as MediaTypes from "../files/internal/MediaTypes.ts"
import * as StoreFile from "../files/internal/StoreFile.ts"
import * as NewFile from "../files/NewFile.ts"
import type { Precondition } from "../files/Precondition.ts"
import * as Ids from "../Ids.ts"
import type { MetadataError } from "../MetadataError.ts"
import * as Page from "../Page.ts"
import { Settings } from "../Settings.ts"
import type { BlobError } from "../storage/BlobError.ts"
import type { BlobRepository } from "../storage/BlobRepository.ts"
import type { BlobStore } from "../storage/BlobStore.ts"
import { StorageRoom } from "../StorageRoom.ts"
import { LimitsOf, within } from "../usage/UsageLimits.ts"
import * as Appends from "./internal/Appends.ts"
import * as CompleteUpload from "./internal/CompleteUpload.ts"
import * as PartWriter from "./internal/PartWriter.ts"
import * as PartStreams from "./internal/PartStreams.ts"
import * as Partials from "./internal/Partials.ts"
import { maxParts, type StoredUpload, type Upload, type UploadMode, type UploadPart } from "./Upload.ts"
import { OffsetMismatch, type UploadIncomplete, UploadSuperseded } from "./UploadErrors.ts"
import { type UploadRef, UploadRepository } from "./UploadRepository.ts"

/** What an upload makes, and on which conditions. */
export interface NewUpload {
  /** How the bytes arrive. Default: `APPEND`. */
  readonly mode?: UploadMode | undefined
  /** Bytes of the whole content, if they are known. They are reserved then. */
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
  /** Texts that the caller gets back with the upload. */
  readonly notes?: { readonly [name: string]: string } | undefined
  /** Whether the upload makes no file: its bytes become those of another upload, by `partials`. It needs no description. */
  readonly isPartial?: boolean | undefined
  /**
   * The ids of partial uploads of the bucket, which must have all of their bytes. The new upload has the bytes of all of them, in this
   * order, without a copy; they end. At most 100.
   */
  readonly partials?: ReadonlyArray<string> | undefined
}

/** The bytes of one request that continues an upload. */
export interface AppendOptions {
  /** Where the client continues, in bytes. */
  readonly offset: number
  /** Bytes of the whole content, if the upload has not declared them before. */
  readonly length?: number | undefined
  /** Bytes of this request, if they are known: more than the upload may get are refused before one is read. */
  readonly contentLength?: number | undefined
  /**
   * Checks the bytes of this request after all of them were read. They are then kept as a whole or not at all: not those before a cut
   * of the connection either, because they cannot be checked.
   */
  readonly verify?: Effect.Effect<void, ChecksumMismatch> | undefined
  /** Called with the upload whenever more of its bytes are stored. */
  readonly onStored?: ((upload: Upload) => void) | undefined
}

type PartError =
  | AccessError
  | BlobError
  | ChecksumMismatch
  | ContentTooLarge
  | InvalidRequest
  | LengthMismatch
  | MetadataError
  | NotFound
  | QuotaExceeded
  | TypeNotAllowed
  | UploadExpired
  | UploadSuperseded

/**
 * Bytes of a part of an upload by appends. A crash of the process loses the part that arrives. The client sends it again, with what was on
 * its way in buffers: 64 MiB at most.
 */
const appendPartBytes = 32 * 1024 * 1024

/** Returns the bytes of the parts of an upload. Those of one whose length is declared need at most half of `maxParts`. */
const partBytesOf = ({ length }: Pick<Upload, "length">): number =>
  Math.max(appendPartBytes, Math.ceil((length ?? 0) / (maxParts / 2)))

/** The most open uploads of a tenant. */
export const maxOpenUploads = 1000

/** The most of them when a link or share creates another one: its holder cannot keep the members of the tenant from uploading. */
const maxOpenForLinks = 900

/** Attempts of a completion while parts are still being added. */
const maxAttempts = 3

export class ResumableUploads extends Context.Service<
  ResumableUploads,
  {
    /**
     * Creates an upload for a file of this description (`CreateFile`). Checks what the completion will check, as far as it is known:
     * permission, limits, conflicts and the precondition. Fails with `QuotaExceeded` for more than `maxOpenUploads` of a tenant.
     */
    readonly create: (
      actor: Actor,
      bucket: BucketRef,
      description: unknown,
      options?: NewUpload
    ) => Effect.Effect<
      Upload,
      | AccessError
      | ContentTooLarge
      | FileExists
      | InvalidRequest
      | MetadataError
      | NotFound
      | PreconditionFailed
      | QuotaExceeded
      | TypeNotAllowed
      | UploadIncomplete
    >

    /** Returns an upload. Fails with `NotFound` when there is none, or it was aborted or has expired. */
    readonly get: (actor: Actor, upload: UploadRef) => Effect.Effect<Upload, AccessError | NotFound>

    /**
     * Prepares to continue an upload: ends a request that still appends to it, stores what it has sent, and returns the upload. Its
     * `received` is the offset of the next append. The former request fails with `UploadSuperseded` if it sends more.
     */
    readonly resume: (actor: Actor, upload: UploadRef) => Effect.Effect<Upload, AccessError | NotFound>

    /** Lists the open uploads of a bucket, by their ids. */
    readonly list: (
      actor: Actor,
      bucket: BucketRef,
      request?: Page.Request
    ) => Effect.Effect<Page.Page<Upload>, AccessError | InvalidCursor | InvalidRequest | NotFound>

    /**
     * Appends bytes. Where the content fails or the fiber is interrupted, as it is when a connection is cut, the bytes that have
     * arrived are stored, and the error of the content passes through. Fails with `OffsetMismatch` unless the upload ends at
     * `offset`. Ends a former append to the same upload. Returns the upload afterwards; it is not completed yet.
     */
    readonly append: <E, R>(
      actor: Actor,
      upload: UploadRef,
      content: Stream.Stream<Uint8Array, E, R>,
      options: AppendOptions
    ) => Effect.Effect<Upload, E | OffsetMismatch | PartError, R>

    /**
     * Stores a numbered part. Several may be stored at a time, in any order. A part that has been sent before is replaced; of two
     * that arrive at once the last one to finish counts. A part that fails changes nothing.
     */
    readonly putPart: <E, R>(
      actor: Actor,
      upload: UploadRef,
      content: Stream.Stream<Uint8Array, E, R>,
      options: PartWriter.PartOptions
    ) => Effect.Effect<UploadPart, E | PartError, R>

    /** Lists the parts of an open upload after a number, at most 1,000. */
    readonly listParts: (
      actor: Actor,
      upload: UploadRef,
      options?: { readonly after?: number | undefined; readonly limit?: number | undefined }
    ) => Effect.Effect<ReadonlyArray<UploadPart>, AccessError | NotFound>

    /**
     * Makes the parts the content of the file, in one short transaction. Checks permission, limits, conflicts and precondition again.
     * A repeated call, also one at the same time, returns the same file until the upload expires. The SHA-256 of a content of several
     * parts is computed in the background; until then the `checksum` of the file is null.
     */
    readonly complete: (
      actor: Actor,
      upload: UploadRef,
      options?: CompleteUpload.CompleteOptions
    ) => Effect.Effect<
      File.File,
      | AliasTaken
      | ChangeRefused
      | HookFailed
      | FileExists
      | PartError
      | PreconditionFailed
      | TypeNotAllowed
      | UploadIncomplete
    >

    /** Ends an open upload, and removes its parts. */
    readonly abort: (actor: Actor, upload: UploadRef) => Effect.Effect<void, AccessError | NotFound>
  }
>()("@holdfast/core/uploads/ResumableUploads") {}

const missing = new NotFound({ resource: "upload" })
const noBucket = new NotFound({ resource: "bucket" })

const toUpload = ({
  answer,
  blobId: _blobId,
  epoch: _epoch,
  revision: _revision,
  ...upload
}: StoredUpload): Upload => ({ ...upload, fileId: CompleteUpload.fileIdOf(answer) })

/** Returns the error of a content that is larger than declared, or than the limit where it is smaller. */
const tooLarge = (
  { length }: Pick<Upload, "length">,
  { isOfBucket, limit }: Pick<ContentGuard.Expected, "isOfBucket" | "limit">
): ContentTooLarge =>
  length !== null && length <= limit
    ? new ContentTooLarge({ limit: length })
    : new ContentTooLarge({ limit, isOfBucket })

/** Checks the length that a request declares for an upload. */
const checkLength = (
  length: number,
  upload: Pick<Upload, "length" | "received">
): Effect.Effect<void, InvalidRequest> => {
  const fail = (detail: string) => Effect.fail(InvalidRequest.at("/length", detail))
  if (!(Number.isSafeInteger(length) && length >= 0)) return fail("must be a whole number of bytes")
  if (upload.length !== null) return fail(`must be absent or ${upload.length}, which the upload has declared before`)
  return length < upload.received
    ? fail(`must be at least ${upload.received}: the upload has so many bytes`)
    : Effect.void
}

const make = Effect.gen(function* () {
  const access = yield* Access
  const buckets = yield* BucketRepository
  const files = yield* FileRepository
  const uploads = yield* UploadRepository
  const settings = yield* Settings
  const random = yield* SecureRandom
  const room = yield* StorageRoom
  const limitsOf = yield* LimitsOf
  const checkHeaders = yield* HeaderLimit.makeForNew
  const storePart = yield* PartWriter.make
  const completeOnce = yield* CompleteUpload.make(storePart)
  const appends = Appends.make()

  const expiry = Effect.map(DateTime.now, (now) => DateTime.addDuration(now, settings.uploadExpiry))
  const newId = (kind: Ids.Kind) => Effect.provideService(Ids.make(kind), SecureRandom, random)
  const limitOf = ({ terms }: Pick<Upload, "terms">, rules: ContentRules) =>
    MediaTypes.limitOf(rules, terms.linkRules ?? undefined, settings.maxUploadBytes)

  const checkId = ({ bucketId, uploadId }: UploadRef) =>
    Ids.is("bkt", bucketId) && Ids.is("upl", uploadId) ? Effect.void : Effect.fail(missing)

  /** Finds an upload for an actor who may write its file, in any state. */
  const find = Effect.fnUntraced(function* (actor: Actor, ref: UploadRef) {
    const identity = yield* access.require(actor, ref, "file:write")
    yield* checkId(ref)
    const found = yield* NotFound.whenNone(uploads.find(ref), missing)
    const now = yield* DateTime.now
    const { upload } = found
    if (upload.state === "DEAD" || DateTime.toEpochMillis(upload.expiresAt) <= DateTime.toEpochMillis(now)) {
      return yield* missing
    }
    const { path = "/" } = upload.terms.description
    if (folderOf(identity) !== undefined) yield* access.require(actor, { ...ref, path }, "file:write")
    return { ...found, identity }
  })

  const findOpen = (actor: Actor, ref: UploadRef) =>
    Effect.filterOrFail(
      find(actor, ref),
      ({ upload }) => upload.state === "OPEN",
      () => missing
    )

  const findPartials = Effect.fnUntraced(function* (
    actor: Actor,
    { bucketId, tenantId }: BucketRef,
    ids: ReadonlyArray<string> | undefined
  ) {
    if (ids === undefined) return []
    yield* Partials.checkIds(ids)
    return yield* Effect.forEach(ids, (uploadId) =>
      Effect.map(findOpen(actor, { tenantId, bucketId, uploadId }), ({ upload }) => upload)
    )
  })

  /** Ends former appends, and fences those of other processes. */
  const takeOver = (ref: UploadRef) =>
    appends.end(ref.uploadId).pipe(
      Effect.andThen(DateTime.now),
      Effect.flatMap((now) => NotFound.whenNone(uploads.takeOver(ref, now), missing))
    )

  return ResumableUploads.of({
    create: Effect.fn("ResumableUploads.create")(function* (actor, { bucketId, tenantId }, input, options = {}) {
      const bucket = { tenantId, bucketId }
      const identity = yield* access.require(actor, bucket, "file:write")
      yield* checkBucketId(bucket)
      const {
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
      if (length !== undefined) yield* checkLength(length, { length: null, received: 0 })
      const sources = yield* findPartials(actor, bucket, partials)
      const size = sources.length === 0 ? length : yield* Partials.checkAll(sources, link)
      yield* checkHeaders(tenantId, description.headers ?? [])
      yield* room.forContent(length ?? 0)
      if (!isPartial) {
        const existing = Option.getOrNull(yield* files.find(bucket, StoreFile.toSelector({ path, name })))
        yield* StoreFile.check({ bucket, condition, folder, onConflict }, existing)
      }
      const terms = {
        description,
        contentType: contentType ?? null,
        onConflict,
        condition,
        linkRules: linkRules ?? null,
        ...(link === undefined ? undefined : { link }),
        ...(notes === undefined ? undefined : { notes }),
        ...(isPartial ? { isPartial } : undefined)
      }
      const upload: StoredUpload = {
        ...bucket,
        id: yield* newId("upl"),
        blobId: yield* newId("blb"),
        mode,
        terms,
        length: length ?? null,
        received: 0,
        state: "OPEN",
        epoch: 0,
        revision: 0,
        answer: null,
        createdAt: yield* DateTime.now,
        expiresAt: yield* expiry
      }
      const limits = yield* limitsOf(bucket)
      const rules = yield* within(limits)(uploads.create(upload, link === undefined ? maxOpenUploads : maxOpenForLinks))
      const ref = { ...bucket, uploadId: upload.id }
      const refuse = <E>(error: E) => Effect.andThen(uploads.abort(ref), Effect.fail(error))
      const { isOfBucket, limit } = limitOf(upload, rules)
      if (size !== undefined && size > limit) return yield* refuse(new ContentTooLarge({ limit, isOfBucket }))
      if (contentType !== undefined && !MediaTypes.isUnspecific(contentType)) {
        yield* Effect.catchTag(MediaTypes.checkAllowed(contentType, rules, linkRules), "TypeNotAllowed", refuse)
      }
      if (sources.length === 0) return toUpload(upload)
      const joined = uploads.join({
        upload: ref,
        partials: sources.map(({ id }) => id),
        now: upload.createdAt,
        expiresAt: upload.expiresAt
      })
      return toUpload(yield* Effect.catch(within(limits)(joined), refuse))
    }),

    get: Effect.fn("ResumableUploads.get")(function* (actor, ref) {
      return toUpload((yield* find(actor, ref)).upload)
    }),

    resume: Effect.fn("ResumableUploads.resume")(function* (actor, ref) {
      const { upload } = yield* find(actor, ref)
      return toUpload(upload.state === "OPEN" ? yield* takeOver(ref) : upload)
    }),

    list: Effect.fn("ResumableUploads.list")(function* (actor, bucket, request = {}) {
      const identity = yield* access.require(actor, bucket, "file:write")
      yield* checkBucketId(bucket)
      yield* NotFound.whenNone(buckets.find({ tenantId: bucket.tenantId, bucketId: bucket.bucketId }), noBucket)
      const folder = folderOf(identity)
      const now = yield* DateTime.now
      const page = yield* Page.listById(request, (slice) => uploads.list({ bucket, now, ...slice }))
      const isVisible = ({ terms }: StoredUpload) =>
        folder === undefined || (terms.description.path ?? "/").startsWith(folder)
      return { ...page, items: page.items.filter(isVisible).map(toUpload) }
    }),

    append: Effect.fn("ResumableUploads.append")(function* (actor, ref, content, options) {
      const { contentLength, length, offset, onStored, verify } = options
      const { rules, upload: found } = yield* findOpen(actor, ref)
      if (found.mode !== "APPEND") return yield* InvalidRequest.at("", "the upload takes numbered parts")
      let upload = yield* takeOver(ref)
      if (upload.received !== offset) return yield* new OffsetMismatch({ offset: upload.received })
      const { isOfBucket, limit } = limitOf(upload, rules)
      if (length !== undefined && length !== upload.length) {
        yield* checkLength(length, upload)
        if (length > limit) return yield* new ContentTooLarge({ limit, isOfBucket })
        upload = yield* within(yield* limitsOf(ref))(uploads.declareLength(ref, length))
      }
      const rest = Math.min(limit, upload.length ?? Infinity) - offset
      if (contentLength !== undefined && contentLength > rest) return yield* tooLarge(upload, { isOfBucket, limit })
      const guarded = yield* ContentGuard.make(content, { limit: rest, isOfBucket })
      const checkParts = (): Effect.Effect<void, InvalidRequest> =>
        upload.revision < maxParts
          ? Effect.void
          : Effect.fail(
              InvalidRequest.at("", `an upload has at most ${maxParts} parts; send more bytes in each request`)
            )
      const store = <E2, R2>(bytes: Stream.Stream<Uint8Array, E2, R2>) =>
        Effect.gen(function* () {
          const at = { offset: upload.received, epoch: upload.epoch }
          const added = yield* storePart(upload, bytes, { at, options: {}, mayBeEmpty: false })
          if (added === undefined) return
          upload = added.upload
          onStored?.(toUpload(upload))
        })
      const inParts = (stop: Effect.Effect<void>) =>
        Effect.gen(function* () {
          const streams = yield* PartStreams.make(guarded.content, { partSize: partBytesOf(upload), stop })
          for (let next = yield* streams.next; next !== undefined; next = yield* streams.next) {
            yield* checkParts()
            yield* store(next)
          }
          yield* streams.outcome
        }).pipe(Effect.scoped)
      const asWhole = (check: Effect.Effect<void, ChecksumMismatch>, stop: Effect.Effect<void>) =>
        Effect.interruptible(
          Effect.raceFirst(
            store(Stream.concat(guarded.content, Stream.unwrap(Effect.as(check, Stream.empty)))),
            Effect.andThen(stop, Effect.fail(new UploadSuperseded()))
          )
        )
      if (verify !== undefined) yield* checkParts()
      yield* appends
        .run(ref.uploadId, (stop): ReturnType<typeof inParts | typeof asWhole> =>
          verify === undefined ? inParts(stop) : asWhole(verify, stop)
        )
        .pipe(
          // The guard states how many bytes are left; the client has to know how many there may be.
          Effect.catchTag("ContentTooLarge", () => Effect.fail(tooLarge(upload, { isOfBucket, limit })))
        )
      return toUpload(upload)
    }),

    putPart: Effect.fn("ResumableUploads.putPart")(function* (actor, ref, content, { number, ...options }) {
      const { rules, upload } = yield* findOpen(actor, ref)
      if (upload.mode !== "PARTS") return yield* InvalidRequest.at("", "the upload takes bytes in order, by appends")
      if (!(Number.isInteger(number) && number >= 1 && number <= maxParts)) {
        return yield* InvalidRequest.at("/number", `must be a whole number from 1 to ${maxParts}`)
      }
      const { length } = options
      const guarded = yield* ContentGuard.make(content, { ...limitOf(upload, rules), length })
      const added = yield* storePart(upload, guarded.content, { at: { number }, options, mayBeEmpty: true })
      if (added === undefined) return yield* missing
      return added.part
    }),

    listParts: Effect.fn("ResumableUploads.listParts")(function* (actor, ref, { after, limit = Page.maxLimit } = {}) {
      const { upload } = yield* findOpen(actor, ref)
      return yield* uploads.listParts({ blobId: upload.blobId, after, limit: Math.min(limit, Page.maxLimit) })
    }),

    complete: Effect.fn("ResumableUploads.complete")(function* (actor, ref, options = {}) {
      yield* appends.end(ref.uploadId)
      // Another call may complete the upload meanwhile. Then this one finds no open upload, or a file at the place: its own.
      const findDone = Effect.map(Effect.option(find(actor, ref)), (found) =>
        Option.filter(found, ({ upload }) => upload.state === "DONE")
      )
      const completeOrRepeat = Effect.fnUntraced(function* () {
        const found = yield* find(actor, ref)
        return yield* Effect.catch(completeOnce(found, options), (error) =>
          Effect.flatMap(
            findDone,
            Option.match({
              onNone: () => Effect.fail(error),
              onSome: (done) => completeOnce(done, options)
            })
          )
        )
      })
      return yield* Effect.retry(completeOrRepeat(), {
        while: (error) => error._tag === "UploadExpired",
        times: maxAttempts - 1
      })
    }),

    abort: Effect.fn("ResumableUploads.abort")(function* (actor, ref) {
      yield* findOpen(actor, ref)
      yield* uploads.abort(ref)
      yield* appends.end(ref.uploadId)
    })
  })
})

export const layer: Layer.Layer<
  ResumableUploads,
  never,
  | Access
  | BlobRepository
  | BlobStore
  | BucketRepository
  | Digest
  | FileRepository
  | FileWriter
  | SecureRandom
  | UploadRepository
> = Layer.effect(ResumableUploads, make)
