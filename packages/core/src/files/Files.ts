/**
 * Reserves, reads, lists, changes and removes file records. `Uploads` and `Downloads` transfer the contents.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError, folderOf } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { BucketRepository } from "../buckets/BucketRepository.ts"
import { type InvalidCursor, InvalidRequest, NotFound, type PreconditionFailed, type QuotaExceeded } from "../Errors.ts"
import { by } from "../events/EventAuthor.ts"
import * as Input from "../Input.ts"
import { Settings } from "../Settings.ts"
import type { BlobStore } from "../storage/BlobStore.ts"
import * as File from "./File.ts"
import type { AliasTaken, FileExists } from "./FileErrors.ts"
import { hideOwner } from "./internal/AliasConflict.ts"
import * as FileList from "./FileList.ts"
import type { ChangeRefused, HookFailed } from "./hooks/HookErrors.ts"
import * as HookRunner from "./hooks/internal/HookRunner.ts"
import { getFile, checkBucketId, toSelector } from "./internal/FileLookup.ts"
import { type FileRef, FileQuery, parseSelector, type Place, type Selector } from "./FileRef.ts"
import { FileRepository } from "./FileRepository.ts"
import { FileWriter } from "./FileWriter.ts"
import * as HeaderLimit from "./internal/HeaderLimit.ts"
import * as NewFile from "./NewFile.ts"
import type { Precondition } from "./Precondition.ts"
import * as Traced from "./internal/Traced.ts"

export class Files extends Context.Service<
  Files,
  {
    /** Creates a file without content. `Uploads.reupload` uploads its content later. */
    readonly reserve: (
      actor: Actor,
      bucket: BucketRef,
      input: File.CreateFile
    ) => Effect.Effect<File.File, AccessError | InvalidRequest | NotFound | QuotaExceeded | FileExists | AliasTaken>

    /** Returns a file's record, with the requested optional parts. */
    readonly get: (
      actor: Actor,
      file: FileRef,
      expands?: ReadonlyArray<File.Expand>
    ) => Effect.Effect<File.File, AccessError | NotFound>

    /**
     * Returns whether a bucket has a file, by `fileId` or by `name` and `path`. For a token whose scope is limited to a folder, no file
     * exists outside of it by id; a path outside of it is `Forbidden`. Fails with `NotFound` when there is no such bucket.
     */
    readonly exists: (
      actor: Actor,
      bucket: BucketRef,
      query: FileQuery
    ) => Effect.Effect<boolean, AccessError | InvalidRequest | NotFound>

    /**
     * Lists a folder: its folders, then its files. With `recursive`, lists every file below the folder instead. For a token whose
     * scope is limited to a folder, the list of a folder above it contains only what leads to it.
     *
     * @param options.withMarkers Whether the list contains the markers of folders, too, as lists by keys do. Default: false.
     */
    readonly list: (
      actor: Actor,
      bucket: BucketRef,
      request: FileList.Request,
      options?: FileList.Options
    ) => Effect.Effect<FileList.FilePage, AccessError | InvalidRequest | InvalidCursor | NotFound>

    /** Counts the files of a folder and of all folders below it, `limit` at most. */
    readonly count: (
      actor: Actor,
      bucket: BucketRef,
      folder: { readonly path: string; readonly limit: number }
    ) => Effect.Effect<number, AccessError>

    /** Changes a file's name, path, alias or metadata. The content and its version stay. */
    readonly update: (
      actor: Actor,
      file: FileRef,
      input: File.UpdateFile
    ) => Effect.Effect<File.File, AccessError | InvalidRequest | NotFound | FileExists | AliasTaken>

    /**
     * Removes a file permanently. A reader that opened the content before can still read it, for `Settings.blobGrace`.
     *
     * @param at Where the file must be: another one may have this place by now.
     */
    readonly remove: (
      actor: Actor,
      file: FileRef,
      condition?: Precondition,
      at?: Place
    ) => Effect.Effect<void, AccessError | NotFound | PreconditionFailed | ChangeRefused | HookFailed>
  }
>()("@holdfast/core/files/Files") {}

const decodeQuery = Input.decoder(FileQuery)
const decodeUpdate = Input.decoder(File.UpdateFile)

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* FileRepository
  const writer = yield* FileWriter
  const buckets = yield* BucketRepository
  const settings = yield* Settings
  const random = yield* SecureRandom
  const list = yield* FileList.make
  const checkHeaders = yield* HeaderLimit.makeForNew
  const hooks = yield* HookRunner.make

  return Files.of({
    reserve: Effect.fnUntraced(
      function* (actor, bucket, input) {
        const identity = yield* access.require(actor, bucket, "file:write")
        yield* checkBucketId(bucket)
        const description = yield* NewFile.decode(input)
        yield* checkHeaders(bucket.tenantId, description.headers ?? [])
        const file = yield* NewFile.make(description, null)
        if (folderOf(identity) !== undefined) {
          yield* access.require(actor, { ...bucket, path: file.path }, "file:write")
        }
        // A file without content has no blob whose lease could end.
        yield* writer
          .insert(bucket, file)
          .pipe(by(identity), hideOwner(identity), Effect.catchTag(["UploadExpired", "ShareExhausted"], Effect.die))
        return File.fromStored(file)
      },
      Effect.provideService(SecureRandom, random),
      Traced.inSpan("Files.reserve")
    ),

    get: (actor, ref, expands) =>
      Effect.flatMap(access.require(actor, ref, "file:read"), (identity) =>
        Effect.map(getFile(repository, ref, identity), (stored) => File.fromStored(stored, expands))
      ),

    exists: Effect.fnUntraced(function* (actor, bucket, query) {
      const identity = yield* access.require(actor, bucket, "file:read")
      yield* checkBucketId(bucket)
      const { fileId, name, path } = yield* decodeQuery(query)
      if ((fileId === undefined) === (name === undefined) || (fileId !== undefined && path !== undefined)) {
        return yield* InvalidRequest.at("/fileId", "state either fileId, or name and path")
      }
      const place = { path: path ?? "/", name: name ?? "" }
      if (fileId === undefined && folderOf(identity) !== undefined) {
        yield* access.require(actor, { ...bucket, path: place.path }, "file:read")
      }
      const selector: Option.Option<Selector> =
        fileId === undefined ? Option.some({ _tag: "Place", place }) : parseSelector(fileId, folderOf(identity))
      if (Option.isSome(selector) && Option.isSome(yield* repository.find(bucket, selector.value))) return true
      // Only a file that was not found needs a second statement.
      yield* NotFound.whenNone(buckets.find(bucket), new NotFound({ resource: "bucket" }))
      return false
    }, Traced.inSpan("Files.exists")),

    list: Effect.fnUntraced(function* (actor, bucket, request, options) {
      const identity = yield* access.require(actor, bucket, "file:read")
      yield* checkBucketId(bucket)
      const folder = folderOf(identity)
      const query = yield* FileList.decode(request)
      if (folder !== undefined && !folder.startsWith(query.path)) {
        yield* access.require(actor, { ...bucket, path: query.path }, "file:read")
      }
      const page = yield* list(bucket, request, FileList.within(query, folder), options)
      // A page with entries proves that the bucket exists; only an empty page needs a second statement.
      if (page.items.length === 0 && page.folders.length === 0) {
        yield* NotFound.whenNone(buckets.find(bucket), new NotFound({ resource: "bucket" }))
      }
      return page
    }, Traced.inSpan("Files.list")),

    count: Effect.fn("Files.count")(function* (actor, bucket, { limit, path }) {
      yield* access.require(actor, { ...bucket, path }, "file:read")
      return yield* repository.count({ bucket, path, limit })
    }),

    update: Effect.fnUntraced(function* (actor, ref, input) {
      const identity = yield* access.require(actor, ref, "file:write")
      const selector = yield* toSelector(ref, identity)
      const change = yield* decodeUpdate(input)
      if (change.path !== undefined && folderOf(identity) !== undefined) {
        yield* access.require(actor, { ...ref, path: change.path }, "file:write")
      }
      const update = { bucket: ref, selector, change, at: yield* DateTime.now }
      return File.fromStored(yield* writer.update(update).pipe(by(identity), hideOwner(identity)))
    }, Traced.inSpan("Files.update")),

    remove: Effect.fnUntraced(function* (actor, ref, condition = {}, at) {
      const identity = yield* access.require(actor, ref, "file:write")
      let selector = yield* toSelector(ref, identity)
      if (hooks.beforeDelete !== undefined) {
        const file = yield* getFile(repository, ref, identity)
        yield* hooks.beforeDelete(ref, identity, file)
        // Meanwhile an alias may have become that of another file, which the hook has not seen.
        selector = { _tag: "Id", id: file.id, folder: folderOf(identity) }
      }
      const sweepAt = DateTime.addDuration(yield* DateTime.now, settings.blobGrace)
      yield* by(identity)(writer.remove({ bucket: ref, selector: { ...selector, at }, condition, sweepAt }))
    }, Traced.inSpan("Files.remove"))
  })
})

export const layer: Layer.Layer<
  Files,
  never,
  Access | FileRepository | FileWriter | BucketRepository | BlobStore | SecureRandom
> = Layer.effect(Files, make)
