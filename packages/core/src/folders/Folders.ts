/**
 * Moves and removes folders with all their files.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError, folderOf, type Identity } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { InvalidRequest, NotFound, type QuotaExceeded } from "../Errors.ts"
import { by } from "../events/EventAuthor.ts"
import { FileChangeNotifier } from "../files/FileChangeNotifier.ts"
import type { FileExists } from "../files/FileErrors.ts"
import { FileRepository } from "../files/FileRepository.ts"
import { FileWriter } from "../files/FileWriter.ts"
import type { ChangeRefused, HookFailed } from "../files/hooks/HookErrors.ts"
import * as HookRunner from "../files/hooks/internal/HookRunner.ts"
import * as RandomSuffix from "../files/internal/RandomSuffix.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import { Settings } from "../Settings.ts"
import type { BlobStore } from "../storage/BlobStore.ts"
import { StorageRoom } from "../StorageRoom.ts"
import * as FolderJob from "./FolderJob.ts"
import { type FolderChange, FolderRepository } from "./FolderRepository.ts"

export class Folders extends Context.Service<
  Folders,
  {
    /** Moves a folder with the folders below it: at once, or as a job. */
    readonly move: (
      actor: Actor,
      bucket: BucketRef,
      input: FolderJob.MoveFolder
    ) => Effect.Effect<FolderJob.FolderJob, AccessError | InvalidRequest | NotFound | FileExists | QuotaExceeded>

    /**
     * Removes a folder with the folders below it permanently: at once, or as a job. With a hook `onDelete`, which has to permit each file,
     * only folders with at most 500 files are removed.
     */
    readonly remove: (
      actor: Actor,
      bucket: BucketRef,
      input: FolderJob.RemoveFolder
    ) => Effect.Effect<
      FolderJob.FolderJob,
      AccessError | InvalidRequest | NotFound | QuotaExceeded | ChangeRefused | HookFailed
    >

    /** Returns the progress of a job: of a running one, or of one of the latest finished ones of the bucket. */
    readonly job: (
      actor: Actor,
      job: FolderJob.FolderJobRef
    ) => Effect.Effect<FolderJob.FolderJob, AccessError | NotFound>

    /** Stops a running job. The files that it has not reached stay where they are. Returns the job; one that has ended is unchanged. */
    readonly cancel: (
      actor: Actor,
      job: FolderJob.FolderJobRef
    ) => Effect.Effect<FolderJob.FolderJob, AccessError | NotFound>
  }
>()("@holdfast/core/folders/Folders") {}

const decodeMove = Input.decoder(FolderJob.MoveFolder)
const decodeRemove = Input.decoder(FolderJob.RemoveFolder)

const missingJob = new NotFound({ resource: "folder job" })

/** The files for which a removal calls a hook: as many as one transaction removes. */
const maxHooked = 500

/** Attempts of a removal with a hook. */
const maxAttempts = 5

/** Fails for a bucket whose id is not well-formed as for one that has no such folder. */
const checkBucket = ({ bucketId }: BucketRef): Effect.Effect<void, NotFound> =>
  Ids.is("bkt", bucketId) ? Effect.void : Effect.fail(new NotFound({ resource: "folder" }))

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* FolderRepository
  const { notify } = yield* FileChangeNotifier
  const random = yield* SecureRandom
  const room = yield* StorageRoom
  const { blobGrace } = yield* Settings
  const files = yield* FileRepository
  const writer = yield* FileWriter
  const { beforeDelete } = yield* HookRunner.make

  const start = Effect.fnUntraced(function* (
    change: Pick<FolderChange, "bucket" | "kind" | "path" | "to">,
    onConflict: FolderChange["conflict"]["onConflict"]
  ) {
    const jobId = yield* Effect.provideService(Ids.make("job"), SecureRandom, random)
    const conflict = { onConflict, suffix: yield* RandomSuffix.make(random) }
    const at = yield* DateTime.now
    const sweepAt = DateTime.addDuration(at, blobGrace)
    const job = yield* repository.start({ ...change, jobId, conflict, at, sweepAt })
    yield* notify(change.bucket.bucketId)
    return job
  })

  /** Removes the files of a folder for which the hook was called. Those that clients store meanwhile stay. */
  const removeWithHook = (
    hook: NonNullable<typeof beforeDelete>,
    bucket: BucketRef,
    identity: Identity,
    path: string
  ) => {
    const permitted = new Set<string>()

    const attempt = Effect.gen(function* () {
      const query = { path, recursive: true }
      const { files: found, next } = yield* files.list({ bucket, query, limit: maxHooked, withMarkers: true })
      if (next !== null) {
        return yield* InvalidRequest.at(
          "/path",
          `has more than ${maxHooked} files, each of which the hook onDelete has to permit: remove its folders one by one`
        )
      }
      if (found.length === 0) return yield* new NotFound({ resource: "folder" })
      for (const file of found) {
        if (!permitted.has(file.id)) yield* hook(bucket, identity, file)
        permitted.add(file.id)
      }
      const at = yield* DateTime.now
      const sweepAt = DateTime.addDuration(at, blobGrace)
      yield* by(identity)(writer.removeMany({ bucket, fileIds: found.map(({ id }) => id), folder: path, sweepAt }))
      const done = {
        id: null,
        kind: "REMOVE",
        path,
        to: null,
        state: "DONE",
        files: found.length,
        error: null
      } as const
      return { ...done, createdAt: at, updatedAt: at } satisfies FolderJob.FolderJob
    })
    // Another request has removed or moved one of the files meanwhile.
    const isOutdated = (error: { readonly _tag: string }) => error instanceof NotFound && error.resource === "file"
    return Effect.retry(attempt, { while: isOutdated, times: maxAttempts - 1 })
  }

  /** Finds a job of a folder that the identity may see. */
  const find = Effect.fnUntraced(function* (identity: Identity, ref: FolderJob.FolderJobRef) {
    if (!Ids.is("bkt", ref.bucketId) || !Ids.is("job", ref.jobId)) return yield* missingJob
    const job = yield* NotFound.whenNone(repository.find(ref), missingJob)
    const folder = folderOf(identity)
    return folder === undefined || job.path.startsWith(folder) ? job : yield* missingJob
  })

  return Folders.of({
    move: Effect.fn("Folders.move")(function* (actor, bucket, input) {
      yield* access.require(actor, bucket, "file:write")
      yield* checkBucket(bucket)
      const { onConflict = "fail", path, to } = yield* decodeMove(input)
      yield* access.require(actor, { ...bucket, path }, "file:write")
      const identity = yield* access.require(actor, { ...bucket, path: to }, "file:write")
      if (onConflict === "replace" && beforeDelete !== undefined) {
        return yield* InvalidRequest.at(
          "/onConflict",
          "must not be replace for folders, because the hook onDelete has to permit each file that is replaced"
        )
      }
      yield* room.forRecord
      return yield* by(identity)(start({ bucket, kind: "MOVE", path, to }, onConflict))
    }),

    remove: Effect.fn("Folders.remove")(function* (actor, bucket, input) {
      yield* access.require(actor, bucket, "file:write")
      yield* checkBucket(bucket)
      const { path } = yield* decodeRemove(input)
      const identity = yield* access.require(actor, { ...bucket, path }, "file:write")
      if (beforeDelete !== undefined) return yield* removeWithHook(beforeDelete, bucket, identity, path)
      // A removal has no conflicts.
      const removing = Effect.catchTag(
        start({ bucket, kind: "REMOVE", path, to: null }, "fail"),
        "FileExists",
        Effect.die
      )
      return yield* by(identity)(removing)
    }),

    job: Effect.fn("Folders.job")(function* (actor, ref) {
      return yield* find(yield* access.require(actor, ref, "file:read"), ref)
    }),

    cancel: Effect.fn("Folders.cancel")(function* (actor, ref) {
      const job = yield* find(yield* access.require(actor, ref, "file:write"), ref)
      if (job.state !== "RUNNING") return job
      return yield* NotFound.whenNone(repository.cancel(ref, yield* DateTime.now), missingJob)
    })
  })
})

export const layer: Layer.Layer<
  Folders,
  never,
  Access | BlobStore | FileRepository | FileWriter | FolderRepository | FileChangeNotifier | SecureRandom
> = Layer.effect(Folders, make)
