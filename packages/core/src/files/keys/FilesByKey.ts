/**
 * Lists, opens and removes files by their keys, as clients of the S3 protocol name them. The same policy holds as for `Files` and
 * `Downloads`.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Access, type AccessError, folderOf } from "../../access/Access.ts"
import type { Actor } from "../../Actor.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { BucketRepository } from "../../buckets/BucketRepository.ts"
import { InvalidRequest, NotFound, type PreconditionFailed } from "../../Errors.ts"
import { by } from "../../events/EventAuthor.ts"
import type { MetadataError } from "../../MetadataError.ts"
import { type Download, Downloads } from "../Downloads.ts"
import { Metadata, type StoredFile } from "../File.ts"
import type { ContentDamaged, ContentNotUploaded } from "../FileErrors.ts"
import * as FileKey from "./FileKey.ts"
import { FileRepository, type KeyedContent, type KeyListRequest, type KeySlice } from "../FileRepository.ts"
import type { Place } from "../FileRef.ts"
import { FileWriter } from "../FileWriter.ts"
import { Files } from "../Files.ts"
import type { ChangeRefused, HookFailed } from "../hooks/HookErrors.ts"
import { checkBucketId } from "../internal/FileLookup.ts"
import type { Precondition } from "../Precondition.ts"
import * as Traced from "../internal/Traced.ts"

/** Which keys to list. */
export type ListRequest = Omit<KeyListRequest, "bucket" | "folder">

type FindError = AccessError | NotFound

export class FilesByKey extends Context.Service<
  FilesByKey,
  {
    /**
     * Lists the files with content, ordered by their keys: at most 1,000 entries. For a token whose scope is limited to a folder, only
     * the files in this folder exist. Fails with `NotFound` when there is no such bucket.
     */
    readonly list: (
      actor: Actor,
      bucket: BucketRef,
      request: ListRequest
    ) => Effect.Effect<KeySlice, AccessError | NotFound>

    /** Finds the file with a key; none also for a reserved one, and for a key that no file can have. Fails with `NotFound` when there is no such bucket. */
    readonly find: (actor: Actor, bucket: BucketRef, key: string) => Effect.Effect<Option.Option<StoredFile>, FindError>

    /** Opens the content of the file with a key, as `Downloads.open` does. */
    readonly open: (
      actor: Actor,
      bucket: BucketRef,
      key: string
    ) => Effect.Effect<Download, FindError | ContentNotUploaded | ContentDamaged>

    /**
     * Opens the content of the file with a key for a reader without a key of the API. Fails with the same `NotFound` where there is no such
     * file, it is reserved, or its bucket is not public or does not exist.
     */
    readonly openPublic: (
      bucket: BucketRef,
      key: string
    ) => Effect.Effect<Download, NotFound | ContentDamaged | MetadataError>

    /**
     * Replaces the metadata of the file with a key by the result of `change`. A concurrent change is not lost. Fails with `NotFound` for
     * a reserved file.
     */
    readonly updateMetadata: (
      actor: Actor,
      bucket: BucketRef,
      key: string,
      change: (metadata: Metadata) => Metadata
    ) => Effect.Effect<void, FindError | InvalidRequest>

    /**
     * Removes the file with a key, as `Files.remove` does. Fails with `NotFound` for a reserved file, and for one that is renamed
     * meanwhile.
     */
    readonly remove: (
      actor: Actor,
      bucket: BucketRef,
      key: string,
      condition?: Precondition
    ) => Effect.Effect<void, FindError | PreconditionFailed | ChangeRefused | HookFailed>
  }
>()("@holdfast/core/files/FilesByKey") {}

/**
 * How many entries one step of a list reads, in less than half a millisecond. One step more than these rows would make the SQL adapters
 * read them on another thread (`maxKeyRows` of `Reads.ts`), where messages and copies of the rows cost more than the read.
 */
const step = 250

const missing = new NotFound({ resource: "file" })
const tooMuch = InvalidRequest.at("/metadata", "must be at most 16 KiB as JSON")
const isMetadata = Schema.is(Metadata)
const placeOf = ({ name, path }: StoredFile): Place => ({ path, name })

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* FileRepository
  const buckets = yield* BucketRepository
  const files = yield* Files
  const writer = yield* FileWriter
  const downloads = yield* Downloads

  const requireBucket = (bucket: BucketRef) =>
    NotFound.whenNone(buckets.find(bucket), new NotFound({ resource: "bucket" }))

  const findFor = Effect.fnUntraced(function* (
    actor: Actor,
    bucket: BucketRef,
    key: string,
    permission: "file:read" | "file:write"
  ) {
    const identity = yield* access.require(actor, bucket, permission)
    yield* checkBucketId(bucket)
    const place = yield* Effect.option(FileKey.toPlace(key))
    if (folderOf(identity) !== undefined && Option.isSome(place)) {
      yield* access.require(actor, { ...bucket, path: place.value.path }, permission)
    }
    const found = Option.isNone(place)
      ? Option.none<StoredFile>()
      : yield* repository.find(bucket, { _tag: "Place", place: place.value })
    // Only a file that was not found needs a second statement.
    if (Option.isNone(found)) yield* requireBucket(bucket)
    return { found, identity }
  })

  const find = (actor: Actor, bucket: BucketRef, key: string) =>
    Effect.map(findFor(actor, bucket, key, "file:read"), ({ found }) => found)

  /** Finds the file with a key for a change. */
  const findContent = Effect.fnUntraced(function* (actor: Actor, bucket: BucketRef, key: string) {
    const { found, identity } = yield* findFor(actor, bucket, key, "file:write")
    if (Option.isNone(found) || found.value.content === null) return yield* missing
    return { file: found.value, identity }
  })

  const readPage = Effect.fnUntraced(function* (
    bucket: BucketRef,
    folder: string | undefined,
    { after, limit, ...request }: ListRequest
  ): Effect.fn.Return<KeySlice, MetadataError> {
    const contents: Array<KeyedContent> = []
    const prefixes: Array<string> = []
    let next: string | null = after ?? null
    let missing = limit
    do {
      const read = { ...request, bucket, folder, after: next ?? undefined, limit: Math.min(missing, step) }
      const slice: KeySlice = yield* repository.listKeys(read)
      contents.push(...slice.contents)
      prefixes.push(...slice.prefixes)
      missing = limit - contents.length - prefixes.length
      next = slice.next
    } while (next !== null && missing > 0)
    return { contents, prefixes, next }
  })

  return FilesByKey.of({
    list: Effect.fnUntraced(function* (actor, bucket, request) {
      const identity = yield* access.require(actor, bucket, "file:read")
      yield* checkBucketId(bucket)
      const slice = yield* readPage(bucket, folderOf(identity), request)
      if (slice.contents.length + slice.prefixes.length === 0) yield* requireBucket(bucket)
      return slice
    }, Traced.inSpan("FilesByKey.list")),

    find: (actor, bucket, key) =>
      Effect.map(
        find(actor, bucket, key),
        Option.filter(({ content }) => content !== null)
      ),

    open: Effect.fnUntraced(function* (actor, bucket, key) {
      const found = yield* find(actor, bucket, key)
      if (Option.isNone(found)) return yield* missing
      return yield* downloads.ofFile(bucket, found.value)
    }, Traced.inSpan("FilesByKey.open")),

    openPublic: Effect.fnUntraced(function* (bucket, key) {
      yield* access.requirePublic(bucket)
      const place = yield* Effect.mapError(FileKey.toPlace(key), () => missing)
      const file = yield* NotFound.whenNone(repository.find(bucket, { _tag: "Place", place }), missing)
      return yield* Effect.catchTag(downloads.ofFile(bucket, file), "ContentNotUploaded", () => Effect.fail(missing))
    }, Traced.inSpan("FilesByKey.openPublic")),

    remove: Effect.fnUntraced(function* (actor, bucket, key, condition) {
      const { file } = yield* findContent(actor, bucket, key)
      yield* files.remove(actor, { ...bucket, fileId: file.id }, condition, placeOf(file))
    }, Traced.inSpan("FilesByKey.remove")),

    updateMetadata: Effect.fnUntraced(function* (actor, bucket, key, change) {
      const { file, identity } = yield* findContent(actor, bucket, key)
      const selector = { _tag: "Id", id: file.id, folder: folderOf(identity), at: placeOf(file) } as const
      const checked = (metadata: Metadata) => {
        const changed = change(metadata)
        return isMetadata(changed) ? Result.succeed(changed) : Result.fail(tooMuch)
      }
      const update = { bucket, selector, change: checked, at: yield* DateTime.now }
      yield* writer.updateMetadata(update).pipe(by(identity))
    }, Traced.inSpan("FilesByKey.updateMetadata"))
  })
})

export const layer: Layer.Layer<
  FilesByKey,
  never,
  Access | BucketRepository | Downloads | FileRepository | FileWriter | Files
> = Layer.effect(FilesByKey, make)
