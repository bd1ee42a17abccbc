/**
 * The writing methods of `FileRepository`, within the limits of the bucket and its tenant, each followed by a notification of the
 * mirror worker.
 *
 * Services write files through this service only. Their layers require it, so that a composition without notifications
 * does not compile.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { FileChangeNotifier } from "./FileChangeNotifier.ts"
import { FileRepository } from "./FileRepository.ts"
import { StorageRoom } from "../StorageRoom.ts"
import { LimitsOf, within } from "../usage/UsageLimits.ts"

export class FileWriter extends Context.Service<
  FileWriter,
  Pick<
    FileRepository["Service"],
    "insert" | "replaceContent" | "update" | "updateMetadata" | "updateHeaders" | "remove" | "removeMany" | "move"
  >
>()("@holdfast/core/files/FileWriter") {}

export const layer: Layer.Layer<FileWriter, never, FileRepository | FileChangeNotifier> = Layer.effect(
  FileWriter,
  Effect.gen(function* () {
    const files = yield* FileRepository
    const { notify } = yield* FileChangeNotifier
    const room = yield* StorageRoom
    const notifying = <A, E>(bucket: BucketRef, write: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.tap(write, () => notify(bucket.bucketId))
    const limitsOf = yield* LimitsOf
    const limited = <A, E>(bucket: BucketRef, write: Effect.Effect<A, E>) =>
      Effect.flatMap(limitsOf(bucket), (limits) => within(limits)(write))
    const growing = <A, E>(write: Effect.Effect<A, E>) => Effect.andThen(room.forRecord, write)

    return FileWriter.of({
      // The record of a content that is stored already must not be refused.
      insert: (bucket, file, assembly) => {
        const insert = files.insert(bucket, file, assembly)
        return notifying(bucket, limited(bucket, file.content === null ? growing(insert) : insert))
      },
      replaceContent: (replacement) =>
        notifying(replacement.bucket, limited(replacement.bucket, files.replaceContent(replacement))),
      update: (update) => notifying(update.bucket, growing(files.update(update))),
      updateMetadata: (update) => notifying(update.bucket, growing(files.updateMetadata(update))),
      updateHeaders: (update) => notifying(update.bucket, growing(files.updateHeaders(update))),
      remove: (removal) => notifying(removal.bucket, files.remove(removal)),
      removeMany: (removal) => notifying(removal.bucket, files.removeMany(removal)),
      move: (move) => notifying(move.bucket, growing(files.move(move)))
    })
  })
)
