/**
 * Removes old snapshots from a backup, and the contents that no other snapshot refers to.
 */
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as MetadataSnapshot from "@holdfast/sqlite/MetadataSnapshot"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as BackupDirectory from "./BackupDirectory.ts"

/** Contents that are looked up and removed at a time. */
const batchSize = 500

export interface PruneResult {
  /** The ids of the snapshots that were removed. */
  readonly removedSnapshots: ReadonlyArray<string>
  readonly removedContents: number
}

/** Opens the metadata of the snapshots that refer to contents of the backup, the newest first. */
const openAll = (directory: string) =>
  Effect.flatMap(BackupDirectory.list(directory), (ids) =>
    Effect.forEach(ids.toReversed(), (id) => MetadataSnapshot.open(BackupDirectory.paths(directory, id).metadata))
  )

/**
 * Keeps the newest snapshots. Removes snapshots before contents: after an interruption the next call removes the rest. The process
 * holds the lock of the directory.
 */
export const prune = (directory: string, store: BlobStore["Service"], keep: number) =>
  Effect.gen(function* () {
    const removedSnapshots = (yield* BackupDirectory.list(directory)).slice(0, -keep)
    yield* Effect.forEach(removedSnapshots, (id) => BackupDirectory.remove(directory, id), { discard: true })
    const kept = yield* openAll(directory)
    const isUsed = (key: string) => {
      const blobId = BlobKey.parse(key)?.blobId ?? ""
      return kept.some((snapshot) => snapshot.has(blobId))
    }
    let removedContents = 0
    yield* store.list("").pipe(
      Stream.filter(({ key }) => !isUsed(key)),
      Stream.grouped(batchSize),
      Stream.runForEach((entries) => {
        removedContents += entries.length
        return Effect.forEach(entries, ({ key }) => store.remove(key), { concurrency: 4, discard: true })
      })
    )
    const result: PruneResult = { removedSnapshots, removedContents }
    return result
  }).pipe(Effect.scoped)
