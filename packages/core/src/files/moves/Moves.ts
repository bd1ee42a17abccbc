/**
 * Moves files within a bucket, and removes several files at once.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError, folderOf, type Identity } from "../../access/Access.ts"
import type { Actor } from "../../Actor.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { InvalidRequest, NotFound, type PreconditionFailed } from "../../Errors.ts"
import { by } from "../../events/EventAuthor.ts"
import * as Ids from "../../Ids.ts"
import * as Input from "../../Input.ts"
import { Settings } from "../../Settings.ts"
import type { BlobStore } from "../../storage/BlobStore.ts"
import * as File from "../File.ts"
import type { FileExists } from "../FileErrors.ts"
import type { FileRef } from "../FileRef.ts"
import { type FileMove, FileRepository, type MovedFile } from "../FileRepository.ts"
import { FileWriter } from "../FileWriter.ts"
import type { ChangeRefused, HookFailed } from "../hooks/HookErrors.ts"
import * as HookRunner from "../hooks/internal/HookRunner.ts"
import { getFile, toSelector } from "../internal/FileLookup.ts"
import * as RandomSuffix from "../internal/RandomSuffix.ts"
import type { OnConflict } from "../NewFile.ts"
import type { Precondition } from "../Precondition.ts"
import * as MoveFile from "./MoveFile.ts"

export class Moves extends Context.Service<
  Moves,
  {
    /** Moves a file to another folder, another name, or both. Its id, content, alias, metadata and headers stay. */
    readonly move: (
      actor: Actor,
      file: FileRef,
      input: MoveFile.MoveFile,
      condition?: Precondition
    ) => Effect.Effect<File.File, MoveError>

    /** Moves files to a folder: all of them, or none. */
    readonly moveMany: (
      actor: Actor,
      bucket: BucketRef,
      input: MoveFile.MoveFiles
    ) => Effect.Effect<MoveFile.MovedFiles, Exclude<MoveError, PreconditionFailed>>

    /** Removes files permanently: all of them, or none. */
    readonly removeMany: (
      actor: Actor,
      bucket: BucketRef,
      input: MoveFile.FileSet
    ) => Effect.Effect<void, AccessError | InvalidRequest | NotFound | ChangeRefused | HookFailed>
  }
>()("@holdfast/core/files/moves/Moves") {}

const decodeMove = Input.decoder(MoveFile.MoveFile)
const decodeMoves = Input.decoder(MoveFile.MoveFiles)
const decodeSet = Input.decoder(MoveFile.FileSet)

/** What a caller asks for. The rest of a `FileMove` is made for each attempt. */
type Requested = Pick<FileMove, "bucket" | "fileIds" | "folder" | "to" | "condition">

type MoveError = AccessError | InvalidRequest | NotFound | FileExists | PreconditionFailed | ChangeRefused | HookFailed

/** Attempts of a move that replaces files while other files take their places. */
const maxAttempts = 5

/** Fails with the ids that are not well-formed, and therefore of no file. A bucket whose id is not well-formed has none of them. */
const checkIds = ({ bucketId }: BucketRef, fileIds: ReadonlyArray<string>): Effect.Effect<void, NotFound> => {
  const ids = Ids.is("bkt", bucketId) ? fileIds.filter((id) => !Ids.is("fil", id)) : fileIds
  return ids.length === 0 ? Effect.void : Effect.fail(NotFound.ofFiles(ids, fileIds))
}

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* FileRepository
  const writer = yield* FileWriter
  const random = yield* SecureRandom
  const { blobGrace } = yield* Settings
  const { beforeDelete } = yield* HookRunner.make

  /** Calls the hook for each file that a removal names. */
  const checkRemoval = Effect.fnUntraced(function* (
    bucket: BucketRef,
    identity: Identity,
    fileIds: ReadonlyArray<string>
  ) {
    if (beforeDelete === undefined) return
    for (const fileId of new Set(fileIds)) {
      yield* beforeDelete(bucket, identity, yield* getFile(repository, { ...bucket, fileId }, identity))
    }
  })

  const run = Effect.fnUntraced(function* (
    identity: Identity,
    move: Requested,
    onConflict: OnConflict,
    replaceable?: ReadonlySet<string>
  ) {
    const conflict = { onConflict, replaceable, suffix: yield* RandomSuffix.make(random) }
    const at = yield* DateTime.now
    const sweepAt = DateTime.addDuration(at, blobGrace)
    return yield* by(identity)(writer.move({ ...move, conflict, at, sweepAt }))
  })

  /** Moves files. Removes no file from their new places for which the hook was not called. */
  const moveWithHooks = (identity: Identity, move: Requested, onConflict: OnConflict) => {
    if (beforeDelete === undefined || onConflict !== "replace") return run(identity, move, onConflict)
    const { bucket, to } = move
    const moved = new Set(move.fileIds)
    const permitted = new Set<string>()

    const checkReplaced = Effect.gen(function* () {
      for (const fileId of moved) {
        const file = yield* getFile(repository, { ...bucket, fileId }, identity)
        const place = { path: to.path ?? file.path, name: to.name ?? file.name }
        const found = yield* repository.find(bucket, { _tag: "Place", place })
        if (Option.isNone(found) || moved.has(found.value.id) || permitted.has(found.value.id)) continue
        yield* beforeDelete(bucket, identity, found.value)
        permitted.add(found.value.id)
      }
    })

    const attempt = (attempts: number): Effect.Effect<ReadonlyArray<MovedFile>, MoveError> =>
      Effect.catchTag(
        Effect.andThen(checkReplaced, run(identity, move, onConflict, permitted)),
        "FileExists",
        (error) => (attempts === 1 || moved.has(error.existingId) ? Effect.fail(error) : attempt(attempts - 1))
      )
    return attempt(maxAttempts)
  }

  return Moves.of({
    move: Effect.fn("Moves.move")(function* (actor, ref, input, condition = {}) {
      const identity = yield* access.require(actor, ref, "file:write")
      const selector = yield* toSelector(ref, identity)
      const { name, onConflict = "fail", path } = yield* decodeMove(input)
      if (path === undefined && name === undefined) {
        return yield* InvalidRequest.at("/path", "state a new path, a new name, or both")
      }
      const folder = folderOf(identity)
      if (path !== undefined && folder !== undefined) yield* access.require(actor, { ...ref, path }, "file:write")
      const fileId = selector._tag === "Id" ? selector.id : (yield* getFile(repository, ref, identity)).id
      const to = { path, name }
      yield* moveWithHooks(identity, { bucket: ref, fileIds: [fileId], folder, to, condition }, onConflict)
      return File.fromStored(yield* getFile(repository, { ...ref, fileId }, identity))
    }),

    moveMany: Effect.fn("Moves.moveMany")(function* (actor, bucket, input) {
      const identity = yield* access.require(actor, bucket, "file:write")
      const { fileIds, onConflict = "fail", path } = yield* decodeMoves(input)
      const folder = folderOf(identity)
      if (folder !== undefined) yield* access.require(actor, { ...bucket, path }, "file:write")
      yield* checkIds(bucket, fileIds)
      const moving = moveWithHooks(identity, { bucket, fileIds, folder, to: { path } }, onConflict)
      // Without a condition.
      const items = yield* Effect.catchTag(moving, "PreconditionFailed", Effect.die)
      return { items }
    }),

    removeMany: Effect.fn("Moves.removeMany")(function* (actor, bucket, input) {
      const identity = yield* access.require(actor, bucket, "file:write")
      const { fileIds } = yield* decodeSet(input)
      yield* checkIds(bucket, fileIds)
      yield* checkRemoval(bucket, identity, fileIds)
      const sweepAt = DateTime.addDuration(yield* DateTime.now, blobGrace)
      yield* by(identity)(writer.removeMany({ bucket, fileIds, folder: folderOf(identity), sweepAt }))
    })
  })
})

export const layer: Layer.Layer<Moves, never, Access | FileRepository | FileWriter | BlobStore | SecureRandom> =
  Layer.effect(Moves, make)
