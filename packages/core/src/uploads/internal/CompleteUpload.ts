/**
 * Completes an upload: makes its parts the content of a file.
 */
import * as DateTime from "effect/DateTime"
import { Digest } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { folderOf, type Identity } from "../../access/Access.ts"
import type { ContentRules } from "../../buckets/ContentRules.ts"
import { InvalidRequest } from "../../Errors.ts"
import type { Actor } from "../../Actor.ts"
import { by } from "../../events/EventAuthor.ts"
import * as File from "../../files/File.ts"
import { ContentTooLarge, UploadExpired } from "../../files/FileErrors.ts"
import { FileRepository } from "../../files/FileRepository.ts"
import * as FileSignature from "../../files/FileSignature.ts"
import { FileWriter } from "../../files/FileWriter.ts"
import * as HookRunner from "../../files/hooks/internal/HookRunner.ts"
import * as StoreWithHooks from "../../files/hooks/internal/StoreWithHooks.ts"
import * as HeaderLimit from "../../files/internal/HeaderLimit.ts"
import { hideOwner } from "../../files/internal/AliasConflict.ts"
import * as MediaTypes from "../../files/internal/MediaTypes.ts"
import * as StoreFile from "../../files/internal/StoreFile.ts"
import { UploadShare } from "../../files/shares/UploadShare.ts"
import type { Precondition } from "../../files/Precondition.ts"
import * as NewFile from "../../files/NewFile.ts"
import { Settings } from "../../Settings.ts"
import type { BlobError } from "../../storage/BlobError.ts"
import * as BlobKey from "../../storage/BlobKey.ts"
import { BlobStore } from "../../storage/BlobStore.ts"
import type { StoredUpload, UploadPart } from "../Upload.ts"
import { UploadSuperseded } from "../UploadErrors.ts"
import { UploadRepository } from "../UploadRepository.ts"
import * as Completion from "./Completion.ts"
import * as Partials from "./Partials.ts"
import type { StorePart } from "./PartWriter.ts"

export interface CompleteOptions {
  /** The parts of the content, in ascending order; for `PARTS` only. All of them when absent. Those that are not listed are removed. */
  readonly parts?: ReadonlyArray<Completion.ListedPart> | undefined
  /** The least size of each part but the last one, in bytes. Default: none. */
  readonly minPartBytes?: number | undefined
  /** The entity tag of the content, with its quotes. By default it is derived from the digests of the parts. */
  readonly etag?: string | undefined
  /** `Content.checksum` of the content. */
  readonly checksum?: string | undefined
  /**
   * Bytes that the upload must have; any number when absent. Fails with `UploadSuperseded` otherwise: a client whose request contains
   * the last bytes completes the upload only where no other request has appended to it meanwhile.
   */
  readonly received?: number | undefined
  /** The precondition of the completion, in place of that with which the upload was created. */
  readonly condition?: Precondition | undefined
}

/** An upload with the identity that completes it. */
interface Found {
  readonly actor: Actor
  readonly identity: Identity
  readonly rules: ContentRules
  readonly upload: StoredUpload
}

const FileAnswer = Schema.fromJsonString(File.File)
const encodeAnswer = Schema.encodeSync(FileAnswer)
const decodeAnswer = Schema.decodeEffect(FileAnswer)

const decodeFileId = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ id: Schema.String })))

/** Returns the id of the file in a stored answer; null without an answer. */
export const fileIdOf = (answer: string | null): string | null => (answer === null ? null : decodeFileId(answer).id)

/** Makes the function that completes an upload once. */
export const make = Effect.fnUntraced(function* (storePart: StorePart) {
  const files = yield* FileRepository
  const uploads = yield* UploadRepository
  const store = yield* BlobStore
  const settings = yield* Settings
  const random = yield* SecureRandom
  const digest = yield* Digest
  const writer = yield* FileWriter
  const checkHeaders = yield* HeaderLimit.makeForNew
  const storeFile = StoreFile.make({ repository: files, writer, random, blobGrace: settings.blobGrace })

  const hooks = yield* HookRunner.make
  const storeWithHooks = StoreWithHooks.make({ hooks, repository: files, retry: StoreWithHooks.makeRetry() })

  /** Returns the first bytes of a content of these parts. */
  const readHead = (upload: StoredUpload, parts: ReadonlyArray<UploadPart>) => {
    const [first] = parts
    if (first === undefined || first.size === 0) return Effect.succeed(new Uint8Array())
    const range = { offset: 0, length: Math.min(FileSignature.headLength, first.size) }
    const key = BlobKey.make({ ...upload, blobId: first.blobId })
    return Effect.map(Stream.runCollect(store.read(key, { range, size: first.size })), (chunks) => {
      const head = new Uint8Array(range.length)
      let filled = 0
      for (const chunk of chunks) {
        head.set(chunk, filled)
        filled += chunk.length
      }
      return head
    })
  }

  /**
   * Explains why a part is not in the store. The store loses a part as soon as another one replaces it, or its upload ends: then fails
   * with `UploadExpired`, as the transaction of the completion would, or for a partial upload with `NotFound`. Otherwise fails with `error`.
   */
  const explainMissing = Effect.fnUntraced(function* (upload: StoredUpload, error: BlobError) {
    const current = yield* uploads.find({ ...upload, uploadId: upload.id })
    const isUnchanged = Option.exists(
      current,
      ({ upload: { revision, state } }) => state === "OPEN" && revision === upload.revision
    )
    if (!isUnchanged) return yield* new UploadExpired()
    yield* Partials.listParts(uploads, upload)
    return yield* error
  })

  return Effect.fnUntraced(function* ({ actor, identity, rules, upload: found }: Found, options: CompleteOptions) {
    if (found.answer !== null) {
      return yield* Effect.orDie(decodeAnswer(found.answer))
    }
    const { condition, contentType, description, isPartial, linkRules, onConflict } = found.terms
    if (isPartial === true) return yield* InvalidRequest.at("", "the upload makes no file: concatenate it with others")
    if (options.received !== undefined && options.received !== found.received) return yield* new UploadSuperseded()
    let upload = found
    if (upload.mode === "APPEND" && options.parts !== undefined) {
      return yield* InvalidRequest.at("/parts", "must be absent: the upload takes bytes in order, by appends")
    }
    // An empty content is a part without bytes.
    if (upload.revision === 0 && options.parts === undefined) {
      const at = upload.mode === "APPEND" ? { offset: 0, epoch: upload.epoch } : { number: 1 }
      if ((upload.length ?? 0) === 0) {
        const empty = yield* storePart(upload, Stream.empty, { at, options: {}, mayBeEmpty: true })
        if (empty !== undefined) upload = empty.upload
      }
    }
    const stored = [...(yield* Completion.listAll(uploads, upload)), ...(yield* Partials.listParts(uploads, upload))]
    const selected = yield* Completion.select(stored, options.parts, options.minPartBytes ?? 0)
    const size = yield* Completion.checkLength(upload, selected)
    const parts = Completion.withoutEmpty(selected)
    const [first] = parts
    if (first === undefined) return yield* InvalidRequest.at("/parts", "must have at least one item")
    const { isOfBucket, limit } = MediaTypes.limitOf(rules, linkRules ?? undefined, settings.maxUploadBytes)
    if (size > limit) return yield* new ContentTooLarge({ limit, isOfBucket })

    const head = yield* Effect.catchIf(
      readHead(upload, parts),
      ({ reason }) => reason === "NotFound",
      (error) => explainMissing(upload, error)
    )
    const types = MediaTypes.detect(contentType ?? undefined, head, description.name)
    yield* MediaTypes.checkAllowed(types.contentType, rules, linkRules ?? undefined)
    yield* checkHeaders(upload.tenantId, description.headers ?? [])
    const isComposite = parts.length > 1
    const now = yield* DateTime.now
    const content: File.Content = {
      blobId: isComposite ? upload.blobId : first.blobId,
      size,
      sha256: isComposite ? null : first.sha256,
      isComposite,
      etag: options.etag ?? (yield* Completion.entityTag(digest, parts)),
      checksum: options.checksum,
      ...types,
      storedAt: now
    }
    const file = yield* Effect.provideService(NewFile.make(description, content), SecureRandom, random)
    const { alias, headers, metadata } = description
    const replaced = {
      ...(alias === undefined ? undefined : { alias }),
      ...(metadata === undefined ? undefined : { metadata }),
      ...(headers === undefined ? undefined : { headers: file.headers })
    }
    const assembly = {
      uploadId: upload.id,
      revision: upload.revision,
      blobId: upload.blobId,
      numbers: parts.map(({ number }) => number),
      partials: upload.terms.partials,
      at: now,
      answer: (made: File.StoredFile) => encodeAnswer(File.fromStored(made))
    }
    const { bucketId, tenantId } = upload
    const storing = {
      bucket: { tenantId, bucketId },
      condition: options.condition ?? condition,
      folder: folderOf(identity),
      onConflict
    }
    const newFile = { file: { ...file, content }, description: replaced, assembly }
    // Nodes of the former version do not record the share of an upload.
    const shareId = upload.terms.shareId ?? (actor._tag === "Share" ? actor.shareId : undefined)
    const commit = (how: StoreFile.StoreOptions) =>
      storeFile(how, newFile).pipe(by(identity), hideOwner(identity), Effect.provideService(UploadShare, shareId))
    const bytes = Stream.flatMap(Stream.fromIterable(parts), (part) =>
      store.read(BlobKey.make({ tenantId, bucketId, blobId: part.blobId }), { size: part.size })
    )
    const change = { bucket: storing.bucket, identity, content, file, bytes }
    return File.fromStored(yield* storeWithHooks(storing, change, commit))
  })
})
