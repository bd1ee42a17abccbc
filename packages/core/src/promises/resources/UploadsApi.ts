/**
 * Uploads in parts, which `holdfast.files.createUpload` creates: `holdfast.uploads`.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { InvalidRequest } from "../../Errors.ts"
import * as Page from "../../Page.ts"
import { ResumableUploads } from "../../uploads/ResumableUploads.ts"
import type { UploadPart } from "../../uploads/Upload.ts"
import type { UploadRef } from "../../uploads/UploadRepository.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import { type ContentSource, knownLength, toStream } from "../internal/content/ContentSource.ts"
import type { Methods, Rejection } from "../Operations.ts"
import type { FileRecord } from "./internal/FileRecords.ts"
import * as Records from "./internal/UploadRecords.ts"

export interface AppendUploadInput extends UploadRef {
  /** Where the content continues: the `received` of the upload. */
  readonly offset: number
  /** The next bytes; not necessarily all that are missing. They are read once. */
  readonly content: ContentSource
  /** Bytes of the whole content of the file, if the upload has not declared them before. */
  readonly length?: number | undefined
}

export interface PutUploadPartInput extends UploadRef {
  /** From 1 to 10,000. The content has its parts in the order of their numbers, which may have gaps. */
  readonly number: number
  /** The bytes of the part. They are read once. */
  readonly content: ContentSource
  /** Bytes of the part, where `content` does not tell. */
  readonly length?: number | undefined
  /** The SHA-256 that the part must have, in hexadecimal. */
  readonly sha256?: string | undefined
}

/** A part as the completion of an upload names it. */
export interface ListedPartInput {
  /** From 1 to 10,000. */
  readonly number: number
  /** The SHA-256 that the stored part must have, in hexadecimal. */
  readonly sha256?: string | undefined
}

export interface CompleteUploadInput extends UploadRef {
  /** With PARTS, the parts of the content in ascending order; the others are removed. Default: all. */
  readonly parts?: ReadonlyArray<ListedPartInput> | undefined
}

export interface ListUploadsInput extends BucketRef, Page.Request {}
export interface ListUploadPartsInput extends UploadRef, Page.Request {}

export interface UploadOperations<Time> {
  /** Returns an upload. Rejects with `not_found` when it was aborted or has expired. */
  get(input: UploadRef): Records.UploadRecord<Time>

  /** Lists the open uploads of a bucket. */
  list(input: ListUploadsInput): Page.Page<Records.UploadRecord<Time>>

  /**
   * Prepares to continue an upload: ends an `append` that still runs, stores what it has received, and returns the upload. The
   * ended call rejects with `upload_superseded`.
   */
  resume(input: UploadRef): Records.UploadRecord<Time>

  /**
   * Appends bytes, and returns the upload with its new `received`. Where the call is aborted or `content` fails, the upload keeps the
   * bytes that were read before. Ends a former `append` to the same upload. Rejects with `offset_mismatch`, whose `offset` is the
   * right one, and with `upload_superseded`, `content_too_large`, `quota_exceeded` and `source_failed`.
   */
  append(input: AppendUploadInput): Records.UploadRecord<Time>

  /**
   * Stores a numbered part. Several calls may run at a time. A part that exists is replaced. A call that rejects stores nothing.
   * Rejects with `checksum_mismatch`, `length_mismatch`, `content_too_large`, `quota_exceeded` and `source_failed`.
   */
  putPart(input: PutUploadPartInput): Records.UploadPartRecord<Time>

  /** Lists the stored parts of an open upload, by number. */
  listParts(input: ListUploadPartsInput): Page.Page<Records.UploadPartRecord<Time>>

  /**
   * Makes the parts the content of a new file, without copying them. Until the upload expires, a repeated call returns the same file.
   * The `checksum` of a content of several parts is null until it is computed in the background. Rejects as `files.upload` does, with
   * `upload_incomplete` where bytes of the declared length are missing, and with `upload_superseded` where parts arrive meanwhile.
   */
  complete(input: CompleteUploadInput): FileRecord<Time>

  /** Ends an open upload and removes its bytes. */
  abort(input: UploadRef): void
}

export interface UploadsApi extends Methods<UploadOperations<Date>, [actor: ActorHandle]> {}

const toPartRecord = ({ createdAt, number, sha256, size }: UploadPart) => ({ number, size, sha256, createdAt })

const ListedParts = Schema.Array(
  Schema.Struct({ number: Schema.Int, sha256: Schema.optional(Schema.UndefinedOr(Schema.String)) })
)

/** Fails at `/parts` for a value that is no list of parts. */
const checkParts = (parts: unknown): Effect.Effect<void, InvalidRequest> =>
  parts === undefined || Schema.is(ListedParts)(parts)
    ? Effect.void
    : Effect.fail(InvalidRequest.at("/parts", "must be a list of objects with the number of a part"))

const decodeNumber = Page.cursorDecoder(Schema.Int)

const listParts = Effect.fnUntraced(function* (
  list: (request: {
    readonly after?: number | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<UploadPart>, Rejection>,
  request: Page.Request
) {
  const limit = yield* Page.parseLimit(request)
  const after = yield* decodeNumber(request)
  const parts = yield* list({ after, limit })
  const last = parts.at(-1)
  const nextCursor = parts.length === limit && last !== undefined ? Page.encodeCursor(last.number) : null
  return { items: parts.map(toPartRecord), nextCursor }
})

const upload = { ...Fields.bucket, uploadId: "id" } as const

export const make = (invoke: Invoke): UploadsApi =>
  bind<UploadOperations<Date>>(
    invoke,
    {
      get: (actor, input) => ResumableUploads.use((service) => Effect.map(service.get(actor, input), Records.toRecord)),

      list: (actor, input) =>
        ResumableUploads.use((service) =>
          Effect.map(service.list(actor, input, input), (page) => ({
            ...page,
            items: page.items.map(Records.toRecord)
          }))
        ),

      resume: (actor, input) =>
        ResumableUploads.use((service) => Effect.map(service.resume(actor, input), Records.toRecord)),

      append: Effect.fnUntraced(function* (actor, input) {
        const { append } = yield* ResumableUploads
        const content = yield* toStream(input.content)
        return Records.toRecord(yield* append(actor, input, content, { offset: input.offset, length: input.length }))
      }),

      putPart: Effect.fnUntraced(function* (actor, input) {
        const { putPart } = yield* ResumableUploads
        const content = yield* toStream(input.content)
        const { length = knownLength(input.content), number, sha256 } = input
        return toPartRecord(yield* putPart(actor, input, content, { number, length, sha256 }))
      }),

      listParts: (actor, input) =>
        ResumableUploads.use((service) => listParts((request) => service.listParts(actor, input, request), input)),

      complete: (actor, input) =>
        Effect.andThen(
          checkParts(input.parts),
          ResumableUploads.use((service) => service.complete(actor, input, { parts: input.parts }))
        ),

      abort: (actor, input) => ResumableUploads.use((service) => service.abort(actor, input))
    },
    {
      get: upload,
      resume: upload,
      abort: upload,
      append: { ...upload, offset: "count", content: true, length: "count" },
      putPart: { ...upload, number: "count", content: true, length: "count", sha256: "text" },
      list: { ...Fields.bucket, ...Fields.page },
      listParts: { ...upload, ...Fields.page },
      complete: { ...upload, parts: true }
    },
    { list: true, listParts: true }
  )
