/**
 * Copies a file: an upload whose content is that of another file.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError, folderOf } from "../../access/Access.ts"
import type { Actor } from "../../Actor.ts"
import { InvalidRequest, PreconditionFailed } from "../../Errors.ts"
import { by } from "../../events/EventAuthor.ts"
import * as Input from "../../Input.ts"
import { DamageReports } from "../../integrity/DamageReports.ts"
import * as BlobKey from "../../storage/BlobKey.ts"
import { BlobStore } from "../../storage/BlobStore.ts"
import * as CompositeParts from "../../storage/CompositeParts.ts"
import type { StoredFile } from "../File.ts"
import { ContentDamaged, ContentNotUploaded, type FileExists, type UploadExpired } from "../FileErrors.ts"
import type { FileRef } from "../FileRef.ts"
import { FileRepository } from "../FileRepository.ts"
import type * as StoreWithHooks from "../hooks/internal/StoreWithHooks.ts"
import * as MoveFile from "../moves/MoveFile.ts"
import * as NewFile from "../NewFile.ts"
import * as Precondition from "../Precondition.ts"
import * as StoredContent from "../StoredContent.ts"
import * as TraceMember from "../moves/TraceMember.ts"
import { checkBucketId, getFile } from "./FileLookup.ts"
import type * as HeaderLimit from "./HeaderLimit.ts"
import type * as Staging from "./Staging.ts"
import * as StoreFile from "./StoreFile.ts"

export type CopyFileError =
  | AccessError
  | ContentDamaged
  | ContentNotUploaded
  | FileExists
  | InvalidRequest
  | PreconditionFailed
  | UploadExpired
  | Exclude<Staging.StagingError, { readonly _tag: "ChecksumMismatch" | "LengthMismatch" }>

const decode = Input.decoder(MoveFile.CopyFile)

interface Dependencies {
  readonly stage: Effect.Success<typeof Staging.make>
  readonly store: ReturnType<typeof StoreFile.make>
  readonly checkHeaders: Effect.Success<typeof HeaderLimit.makeForNew>
  readonly random: SecureRandom["Service"]
  readonly storeWithHooks: ReturnType<typeof StoreWithHooks.make>
}

/** Makes the function that copies a file. When its scope closes, bytes that were not committed are removed. */
export const make = Effect.fnUntraced(function* ({ checkHeaders, random, stage, store, storeWithHooks }: Dependencies) {
  const access = yield* Access
  const repository = yield* FileRepository
  const blobs = yield* BlobStore
  const reports = yield* DamageReports
  const findParts = yield* CompositeParts.make

  return Effect.fnUntraced(function* (
    actor: Actor,
    ref: FileRef,
    input: MoveFile.CopyFile,
    condition: Precondition.Precondition
  ): Effect.fn.Return<StoredFile, CopyFileError, Scope.Scope> {
    const reader = yield* access.require(actor, ref, "file:read")
    const source = yield* getFile(repository, ref, reader)
    if (!Precondition.holds(condition, source.content)) return yield* new PreconditionFailed()
    const { content } = source
    if (content === null) return yield* new ContentNotUploaded()
    if (source.damaged) return yield* new ContentDamaged()
    const { name = source.name, onConflict = "fail", path = source.path, toBucketId } = yield* decode(input)
    const bucket = { tenantId: ref.tenantId, bucketId: toBucketId ?? ref.bucketId }
    const writer = yield* access.require(actor, { ...bucket, path }, "file:write")
    yield* checkBucketId(bucket)

    const storing = { bucket, condition: {}, folder: folderOf(writer), onConflict }
    const existing = Option.getOrNull(yield* repository.find(bucket, StoreFile.toSelector({ path, name })))
    if (existing?.id === source.id && onConflict === "replace") {
      return yield* InvalidRequest.at("/path", "state another path, name or bucket: a file cannot replace itself")
    }
    yield* StoreFile.check(storing, existing)
    yield* checkHeaders(bucket.tenantId, source.headers)

    const blob = { tenantId: ref.tenantId, bucketId: ref.bucketId, blobId: content.blobId }
    const stored = StoredContent.ofContent(blobs, reports, findParts, {
      ...blob,
      size: content.size,
      isComposite: content.isComposite
    })
    const damaged = Effect.andThen(stored.reportDamage, Effect.fail(new ContentDamaged()))
    const { contentType, type } = content
    const staged = yield* stage(bucket, stored.read(), {
      length: content.size,
      sha256: content.sha256 ?? undefined,
      // Those of the source, whatever the name of the copy is.
      types: { contentType, type },
      // A composite content has no blob that the store could copy as a whole.
      copyOf: content.isComposite === true ? undefined : BlobKey.make(blob),
      checksum: () => (content.isComposite === true ? undefined : content.checksum),
      replacedBytes: Effect.succeed(onConflict === "replace" ? (existing?.content?.size ?? 0) : 0)
    }).pipe(
      Effect.catchTags({
        ChecksumMismatch: () => damaged,
        LengthMismatch: () => damaged,
        // Of the source: to write a new blob looks none up.
        BlobError: (error) => (error.reason === "NotFound" ? damaged : Effect.fail(error))
      })
    )
    const copied = yield* staged.contentFor(name)
    const { headers } = source
    const metadata = TraceMember.withoutTrace(source.metadata)
    const file = yield* Effect.provideService(
      NewFile.make({ name, path, headers, metadata }, copied),
      SecureRandom,
      random
    )
    const copy = { file: { ...file, content: copied }, description: { headers, metadata } }
    // The alias of the file that is replaced stays, and a new file has none. No share permits copies.
    // A large content takes minutes, in which the actor may have lost its permission.
    const commit = (how: StoreFile.StoreOptions) =>
      Effect.andThen(
        access.require(actor, { ...bucket, path }, "file:write"),
        staged.commit(by(writer)(Effect.catchTag(store(how, copy), ["AliasTaken", "ShareExhausted"], Effect.die)))
      )
    return yield* storeWithHooks(storing, { bucket, identity: writer, content: copied, file }, commit)
  })
})
