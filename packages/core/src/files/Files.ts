/**
 * File records: reserving, reading, listing, changing and removing them. Contents go through `Uploads` and `Downloads`.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { BucketRepository } from "../buckets/BucketRepository.ts"
import { type InvalidCursor, type InvalidRequest, NotFound, type PreconditionFailed } from "../Errors.ts"
import * as Input from "../Input.ts"
import { Settings } from "../Settings.ts"
import * as File from "./File.ts"
import type { AliasTaken, FileExists } from "./FileErrors.ts"
import * as FileList from "./FileList.ts"
import { find, guardBucket, select } from "./FileLookup.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { FileRef } from "./FileRef.ts"
import { FileRepository } from "./FileRepository.ts"
import * as NewFile from "./NewFile.ts"
import type { Precondition } from "./Precondition.ts"

export class Files extends Context.Service<
  Files,
  {
    /** Reserves an entry without content: the first of two steps, `Uploads.reupload` being the second. */
    readonly reserve: (
      actor: Actor,
      bucket: BucketRef,
      input: File.CreateFile
    ) => Effect.Effect<File.File, AccessError | InvalidRequest | NotFound | FileExists | AliasTaken>

    readonly get: (
      actor: Actor,
      file: FileRef,
      expands?: ReadonlyArray<File.Expand>
    ) => Effect.Effect<File.File, AccessError | NotFound>

    /** A folder's folders, then its files; or with `recursive` every file below it. */
    readonly list: (
      actor: Actor,
      bucket: BucketRef,
      request: FileList.Request
    ) => Effect.Effect<FileList.FilePage, AccessError | InvalidRequest | InvalidCursor | NotFound>

    /** Renames, moves, and changes alias and metadata. The content and its version stay. */
    readonly update: (
      actor: Actor,
      file: FileRef,
      input: File.UpdateFile
    ) => Effect.Effect<File.File, AccessError | InvalidRequest | NotFound | FileExists | AliasTaken>

    /** Removes a file for good. Readers that began before still read to the end. */
    readonly remove: (
      actor: Actor,
      file: FileRef,
      condition?: Precondition
    ) => Effect.Effect<void, AccessError | NotFound | PreconditionFailed>
  }
>()("@holdfast/core/files/Files") {}

const decodeUpdate = Input.decoder(File.UpdateFile)

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* FileRepository
  const buckets = yield* BucketRepository
  const settings = yield* Settings
  const random = yield* SecureRandom
  const list = yield* FileList.make

  return Files.of({
    reserve: Effect.fn("Files.reserve")(
      function* (actor, bucket, input) {
        yield* access.require(actor, bucket.tenantId, "file:write")
        yield* guardBucket(bucket)
        const description = yield* NewFile.decode(input)
        const file = yield* NewFile.make(description, null)
        // Without content there is no blob whose lease could have ended.
        yield* Effect.catchTag(repository.insert(bucket, file), "UploadExpired", Effect.die)
        return File.fromStored(file)
      },
      Effect.provideService(SecureRandom, random)
    ),

    get: (actor, ref, expands) =>
      Effect.flatMap(access.require(actor, ref.tenantId, "file:read"), () =>
        Effect.map(find(repository, ref), (stored) => File.fromStored(stored, expands))
      ),

    list: Effect.fn("Files.list")(function* (actor, bucket, request) {
      yield* access.require(actor, bucket.tenantId, "file:read")
      yield* guardBucket(bucket)
      const page = yield* list(bucket, request)
      // A bucket that shows something is there; only an empty page needs the second look.
      if (page.items.length === 0 && page.folders.length === 0) {
        yield* NotFound.unless(buckets.find(bucket.tenantId, bucket.bucketId), new NotFound({ resource: "bucket" }))
      }
      return page
    }),

    update: Effect.fn("Files.update")(function* (actor, ref, input) {
      yield* access.require(actor, ref.tenantId, "file:write")
      const selector = yield* select(ref)
      const change = yield* decodeUpdate(input)
      return File.fromStored(yield* repository.update(ref, selector, change, yield* DateTime.now))
    }),

    remove: Effect.fn("Files.remove")(function* (actor, ref, condition = {}) {
      yield* access.require(actor, ref.tenantId, "file:write")
      const selector = yield* select(ref)
      const sweepAt = DateTime.addDuration(yield* DateTime.now, settings.blobGrace)
      yield* repository.remove(ref, selector, condition, { sweepAt })
    })
  })
})

export const layer: Layer.Layer<Files, never, Access | FileRepository | BucketRepository | SecureRandom> = Layer.effect(
  Files,
  make
)
