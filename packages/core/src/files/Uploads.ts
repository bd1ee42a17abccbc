/**
 * Uploads contents: for new files, and for existing ones.
 *
 * An upload first stages the bytes, then commits them in one short transaction. An acknowledged upload is durable; a failed
 * one leaves nothing behind.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError, folderOf } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { InvalidRequest, type NotFound, PreconditionFailed } from "../Errors.ts"
import { FolderPath } from "../access/FolderPath.ts"
import { by } from "../events/EventAuthor.ts"
import * as Input from "../Input.ts"
import { Settings } from "../Settings.ts"
import type { BlobRepository } from "../storage/BlobRepository.ts"
import type { BlobStore } from "../storage/BlobStore.ts"
import * as File from "./File.ts"
import type { AliasTaken, FileExists, UploadExpired } from "./FileErrors.ts"
import { hideOwner } from "./internal/AliasConflict.ts"
import { getFile, checkBucketId } from "./internal/FileLookup.ts"
import * as StoreFile from "./internal/StoreFile.ts"
import * as Traced from "./internal/Traced.ts"
import type { FileRef, Place } from "./FileRef.ts"
import { FileRepository } from "./FileRepository.ts"
import { FileWriter } from "./FileWriter.ts"
import { type CopyFileError, make as makeCopy } from "./internal/CopyFile.ts"
import * as HookRunner from "./hooks/internal/HookRunner.ts"
import * as StoreWithHooks from "./hooks/internal/StoreWithHooks.ts"
import * as HeaderLimit from "./internal/HeaderLimit.ts"
import type { CopyFile } from "./moves/MoveFile.ts"
import * as NewFile from "./NewFile.ts"
import * as Precondition from "./Precondition.ts"
import type { ShareExhausted } from "./shares/Share.ts"
import * as Staging from "./internal/Staging.ts"

/** What the sender declares about the content, and the precondition of the change. */
export interface ReuploadOptions extends Omit<Staging.StagedContent, "replacedBytes"> {
  readonly condition?: Precondition.Precondition | undefined
}

export interface UploadOptions extends ReuploadOptions {
  /** What happens if the bucket has a file at the place of the new one. Default: `fail`. */
  readonly onConflict?: NewFile.OnConflict | undefined
  /** Whether the name may be empty: the file is then the marker of its folder. Default: no. */
  readonly allowsMarker?: boolean | undefined
  /**
   * The path of the file, if it is known before the content is read. An upload by a token that is limited to a folder needs it, and
   * fails before the transfer where the path is outside of the folder.
   */
  readonly path?: string | undefined
  /**
   * The place of the file, if it is known before the content is read. A conflict then fails before the transfer, by one statement
   * more. Leave it out for a small content, of which all bytes have arrived with the request.
   */
  readonly place?: Place | undefined
}

export class Uploads extends Context.Service<
  Uploads,
  {
    /**
     * Creates a file with its content. The description (`CreateFile`) is evaluated after the content was read, because a
     * form may contain it after the content. A caller that has the description earlier checks it first with
     * `NewFile.decode`.
     *
     * Returns the file as it is stored: with `onConflict: "replace"` an existing one may have got the content, and the parts of the
     * description that are given; with `"rename"` its name may have a suffix. With `ifNoneMatch: "*"`, an existing file with this path
     * and name is `PreconditionFailed` instead of `FileExists`. `ifMatch` holds only for a file that is replaced.
     */
    readonly upload: <E, R, E2, R2>(
      actor: Actor,
      bucket: BucketRef,
      content: Stream.Stream<Uint8Array, E, R>,
      description: Effect.Effect<unknown, E2, R2>,
      options?: UploadOptions
    ) => Effect.Effect<
      File.File,
      | E
      | E2
      | AccessError
      | InvalidRequest
      | FileExists
      | AliasTaken
      | PreconditionFailed
      | ShareExhausted
      | UploadExpired
      | Staging.StagingError,
      R | R2
    >

    /** Replaces a file's content, or uploads the first content of a reserved file. Id, headers, alias and metadata stay. */
    readonly reupload: <E, R>(
      actor: Actor,
      file: FileRef,
      content: Stream.Stream<Uint8Array, E, R>,
      options?: ReuploadOptions
    ) => Effect.Effect<
      File.File,
      E | AccessError | NotFound | PreconditionFailed | UploadExpired | Staging.StagingError,
      R
    >

    /**
     * Copies a file with its content to another place of its bucket, or to another bucket of its tenant. Media type, metadata and headers
     * come along; the alias and the streams do not. The stored bytes are compared with the digest of the file.
     *
     * @param condition Must hold for the content that is copied.
     */
    readonly copy: (
      actor: Actor,
      file: FileRef,
      input: CopyFile,
      condition?: Precondition.Precondition
    ) => Effect.Effect<File.File, CopyFileError>
  }
>()("@holdfast/core/files/Uploads") {}

const decodePath = Input.decoder(Schema.Struct({ path: FolderPath }))

/** Returns the path that an upload states before its content, in its normal form. */
const knownPath = ({ path, place }: UploadOptions): Effect.Effect<string, InvalidRequest> => {
  const known = path ?? place?.path
  return known === undefined
    ? InvalidRequest.at("/path", pathRequired)
    : Effect.map(decodePath({ path: known }), (decoded) => decoded.path)
}

const pathRequired =
  "must be known before the content, because the key is limited to a folder: send the part body before the part file, or add the path " +
  "to the query"

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* FileRepository
  const writer = yield* FileWriter
  const settings = yield* Settings
  const random = yield* SecureRandom
  const stage = yield* Staging.make
  const checkHeaders = yield* HeaderLimit.makeForNew
  const { blobGrace } = settings
  const store = StoreFile.make({ repository, writer, random, blobGrace })
  const hooks = yield* HookRunner.make
  const retry = StoreWithHooks.makeRetry()
  const storeWithHooks = StoreWithHooks.make({ hooks, repository, retry })
  const copy = yield* makeCopy({ stage, store, checkHeaders, random, storeWithHooks })

  /**
   * Requires the permission again at the commit. A client may send a content for days, and a key that was revoked meanwhile must not
   * change a file.
   */
  const requireStill = (actor: Actor, bucket: BucketRef) => access.require(actor, bucket, "file:write")

  /** Returns the file at a place, if one is given. */
  const findAt = (bucket: BucketRef, place: Place | undefined) =>
    place === undefined
      ? Effect.succeed(null)
      : Effect.map(repository.find(bucket, StoreFile.toSelector(place)), Option.getOrNull)

  /** Finds the size of the content that an upload replaces, as far as its place is known; 0 for none. */
  const replacedAt = (bucket: BucketRef, existing: File.StoredFile | null, { name, path, place }: UploadOptions) => {
    if (place !== undefined || name === undefined) return Effect.succeed(existing?.content?.size ?? 0)
    return Effect.option(NewFile.decode({ name, path })).pipe(
      Effect.flatMap((described) =>
        Option.isNone(described) || path === undefined
          ? Effect.succeed(null)
          : findAt(bucket, { path: described.value.path ?? "/", name: described.value.name })
      ),
      Effect.map((file) => file?.content?.size ?? 0)
    )
  }

  return Uploads.of({
    upload: Effect.fnUntraced(
      function* (actor, bucket, content, description, options = {}) {
        const identity = yield* access.require(actor, bucket, "file:write")
        yield* checkBucketId(bucket)
        const { condition = {}, onConflict = "fail", place } = options
        const folder = folderOf(identity)
        const storing = { bucket, condition, folder, onConflict }
        // Before the look-up, which must not show a token which files there are outside its folder, and before the transfer.
        if (folder !== undefined)
          yield* access.require(actor, { ...bucket, path: yield* knownPath(options) }, "file:write")
        const existing = yield* findAt(bucket, place)
        if (place !== undefined || onConflict !== "replace") yield* StoreFile.check(storing, existing)
        const replacedBytes = onConflict === "replace" ? replacedAt(bucket, existing, options) : undefined
        const staged = yield* stage(bucket, content, { ...options, replacedBytes })
        const decode = options.allowsMarker === true ? NewFile.decodeWithMarker : NewFile.decode
        const described = yield* Effect.flatMap(description, decode)
        yield* checkHeaders(bucket.tenantId, described.headers ?? [])
        const stored = yield* staged.contentFor(described.name)
        const file = yield* Effect.provideService(NewFile.make(described, stored), SecureRandom, random)
        if (folder !== undefined) yield* access.require(actor, { ...bucket, path: file.path }, "file:write")
        const { alias, headers, metadata } = described
        const replaced = {
          ...(alias === undefined ? undefined : { alias }),
          ...(metadata === undefined ? undefined : { metadata }),
          ...(headers === undefined ? undefined : { headers: file.headers })
        }
        const change = { bucket, identity, content: stored, file }
        const newFile = { file: { ...file, content: stored }, description: replaced }
        const commit = (how: StoreFile.StoreOptions) =>
          Effect.andThen(
            requireStill(actor, bucket),
            staged.commit(store(how, newFile).pipe(by(identity), hideOwner(identity)))
          )
        return File.fromStored(yield* storeWithHooks(storing, change, commit))
      },
      Effect.scoped,
      Traced.inSpan("Uploads.upload")
    ),

    reupload: Effect.fnUntraced(
      function* (actor, ref, content, options = {}) {
        const identity = yield* access.require(actor, ref, "file:write")
        const { condition = {} } = options
        const current = yield* getFile(repository, ref, identity)
        // This check avoids a transfer that would fail. The commit checks the condition again, atomically.
        if (!Precondition.holds(condition, current.content)) return yield* new PreconditionFailed()
        const replaced = { name: current.name, replacedBytes: Effect.succeed(current.content?.size ?? 0) }
        const staged = yield* stage(ref, content, { ...options, ...replaced })
        const next = yield* staged.contentFor(current.name)
        const sweepAt = DateTime.addDuration(next.storedAt, blobGrace)
        const folder = folderOf(identity)
        const replacement = { bucket: ref, fileId: current.id, folder, content: next, sweepAt }
        const commit = (condition: Precondition.Precondition) => {
          // The alias stays.
          const step = Effect.catchTag(writer.replaceContent({ ...replacement, condition }), "AliasTaken", Effect.die)
          return Effect.andThen(requireStill(actor, ref), staged.commit(by(identity)(step)))
        }
        const change = { bucket: ref, identity, content: next, file: current }
        yield* hooks.beforeUpload(change)
        if (!hooks.hasReplace) return File.fromStored(yield* commit(condition))
        const attempt = Effect.gen(function* () {
          const replaced = yield* getFile(repository, { ...ref, fileId: current.id }, identity)
          if (!Precondition.holds(condition, replaced.content)) return yield* new PreconditionFailed()
          yield* hooks.beforeReplace(change, replaced)
          // Replaces no other content: the hook has not seen it.
          return yield* StoreWithHooks.orOutdated(commit(StoreWithHooks.isStill(replaced)))
        })
        const stored = yield* Effect.catchTag(retry(ref, current)(attempt), "FileExists", Effect.die)
        return File.fromStored(stored)
      },
      Effect.scoped,
      Traced.inSpan("Uploads.reupload")
    ),

    copy: Effect.fnUntraced(
      function* (actor, ref, input, condition = {}) {
        return File.fromStored(yield* copy(actor, ref, input, condition))
      },
      Effect.scoped,
      Traced.inSpan("Uploads.copy")
    )
  })
})

export const layer: Layer.Layer<
  Uploads,
  never,
  Access | FileRepository | FileWriter | BlobRepository | BlobStore | SecureRandom
> = Layer.effect(Uploads, make)
