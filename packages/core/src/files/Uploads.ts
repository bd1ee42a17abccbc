/**
 * Uploads: a new file with its content, and another content for a file that stands.
 *
 * Staged first, committed by one short transaction: what was acknowledged is durable, and what was not leaves nothing.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { type InvalidRequest, type NotFound, PreconditionFailed } from "../Errors.ts"
import { Settings } from "../Settings.ts"
import type { BlobRepository } from "../storage/BlobRepository.ts"
import type { BlobStore } from "../storage/BlobStore.ts"
import * as File from "./File.ts"
import type { AliasTaken, FileExists, UploadExpired } from "./FileErrors.ts"
import { find, guardBucket } from "./FileLookup.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { FileRef } from "./FileRef.ts"
import { FileRepository } from "./FileRepository.ts"
import * as NewFile from "./NewFile.ts"
import * as Precondition from "./Precondition.ts"
import * as Staging from "./Staging.ts"

/** What the sender announced, and on which conditions the content may take its place. */
export interface UploadOptions extends Staging.Announced {
  readonly condition?: Precondition.Precondition | undefined
}

export class Uploads extends Context.Service<
  Uploads,
  {
    /**
     * Creates a file with its content. The description (`CreateFile`) is asked for once the content has been read, so
     * that it may come behind it; a caller that has it before checks it first with `NewFile.decode`.
     *
     * With `ifNoneMatch: "*"` a file that stands there is `PreconditionFailed` instead of `FileExists`.
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
      | UploadExpired
      | Staging.StagingError,
      R | R2
    >

    /** Replaces a file's content; id, headers, alias and metadata stay. Also the second step after `Files.reserve`. */
    readonly reupload: <E, R>(
      actor: Actor,
      file: FileRef,
      content: Stream.Stream<Uint8Array, E, R>,
      options?: UploadOptions
    ) => Effect.Effect<
      File.File,
      E | AccessError | NotFound | PreconditionFailed | UploadExpired | Staging.StagingError,
      R
    >
  }
>()("@holdfast/core/files/Uploads") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* FileRepository
  const settings = yield* Settings
  const random = yield* SecureRandom
  const stage = yield* Staging.make

  return Uploads.of({
    upload: Effect.fn("Uploads.upload")(function* (actor, bucket, content, description, options = {}) {
      yield* access.require(actor, bucket.tenantId, "file:write")
      yield* guardBucket(bucket)
      const { condition = {} } = options
      // A file that does not exist yet matches no tag.
      if (condition.ifMatch !== undefined) return yield* new PreconditionFailed()
      const staged = yield* stage(bucket, content, options)
      const described = yield* Effect.flatMap(description, NewFile.decode)
      const file = yield* Effect.provideService(
        NewFile.make(described, yield* staged.contentFor(described.name)),
        SecureRandom,
        random
      )
      yield* Effect.catchTag(staged.commit(repository.insert(bucket, file)), "FileExists", (error) =>
        Effect.fail(condition.ifNoneMatch === "*" ? new PreconditionFailed() : error)
      )
      return File.fromStored(file)
    }, Effect.scoped),

    reupload: Effect.fn("Uploads.reupload")(function* (actor, ref, content, options = {}) {
      yield* access.require(actor, ref.tenantId, "file:write")
      const { condition = {} } = options
      const current = yield* find(repository, ref)
      // Looked at before the bytes come, to spare them; what counts is the look at the commit.
      if (!Precondition.holds(condition, current.content)) return yield* new PreconditionFailed()
      const staged = yield* stage(ref, content, options)
      const fresh = yield* staged.contentFor(current.name)
      const doom = { sweepAt: DateTime.addDuration(fresh.storedAt, settings.blobGrace) }
      return File.fromStored(yield* staged.commit(repository.replaceContent(ref, current.id, fresh, condition, doom)))
    }, Effect.scoped)
  })
})

export const layer: Layer.Layer<Uploads, never, Access | FileRepository | BlobRepository | BlobStore | SecureRandom> =
  Layer.effect(Uploads, make)
