/**
 * The directory of a backup:
 *
 *     holdfast-backup.json                       marks the directory as a backup
 *     snapshots/<id>/snapshot.json               the record of a snapshot
 *     snapshots/<id>/metadata.sqlite             the metadata, as they were when the snapshot was taken
 *     snapshots/<id>/secret.key                  the secret key, unless the configuration has it
 *     blobs/<tenant>/<bucket>/<shard>/<blob>     the contents of all snapshots
 *     tmp/, lock.sqlite                          as in a data directory
 *
 * A content never changes under its key, so that all snapshots share one copy of it. A snapshot gets its name when it is
 * complete and durable; before that its name begins with a dot.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { fileName as secretKeyFile } from "../server/compose/SecretKey.ts"
import { BackupError } from "./BackupError.ts"
import * as DurableFiles from "./DurableFiles.ts"
import * as SnapshotRecord from "./SnapshotRecord.ts"

const markerFile = "holdfast-backup.json"
const marker = `${JSON.stringify({ format: 1 })}\n`

const snapshotsOf = (directory: string): string => Path.join(directory, "snapshots")

/** The paths of a snapshot's files. */
export interface SnapshotPaths {
  readonly directory: string
  readonly record: string
  readonly metadata: string
  readonly secretKey: string
}

const pathsIn = (directory: string): SnapshotPaths => ({
  directory,
  record: Path.join(directory, "snapshot.json"),
  metadata: Path.join(directory, "metadata.sqlite"),
  secretKey: Path.join(directory, secretKeyFile)
})

/** Returns the paths of a complete snapshot. */
export const paths = (directory: string, id: string): SnapshotPaths => pathsIn(Path.join(snapshotsOf(directory), id))

/** Fails unless the directory is a backup whose format this version knows. */
export const check = Effect.fnUntraced(function* (directory: string): Effect.fn.Return<void, BackupError> {
  const path = Path.join(directory, markerFile)
  if (!(yield* DurableFiles.exists(path))) {
    return yield* new BackupError({ message: `${directory} is not a backup: it has no ${markerFile}.` })
  }
  if ((yield* DurableFiles.attempt(() => Fs.readFile(path, "utf8"))) !== marker) {
    return yield* new BackupError({
      message: `${path} has a format of another version. Use that version of Holdfast.`
    })
  }
})

/** Makes an empty or missing directory a backup. Fails when it has other files. */
export const create = Effect.fnUntraced(function* (directory: string): Effect.fn.Return<void, BackupError> {
  const names = yield* DurableFiles.names(directory)
  if (names.includes(markerFile)) return yield* check(directory)
  if (names.length > 0) {
    return yield* new BackupError({
      message: `${directory} is neither empty nor a backup. Name an empty directory, or one that does not exist.`
    })
  }
  yield* DurableFiles.makeDirectory(directory)
  const draft = Path.join(directory, `.${markerFile}`)
  yield* DurableFiles.write(draft, marker)
  yield* DurableFiles.rename(draft, Path.join(directory, markerFile))
})

/** Returns the ids of the complete snapshots, the oldest first. */
export const list = (directory: string): Effect.Effect<ReadonlyArray<string>, BackupError> =>
  Effect.map(DurableFiles.names(snapshotsOf(directory)), (names) => names.filter(SnapshotRecord.isId).toSorted())

/** Reads the record of a snapshot. */
export const read = (directory: string, id: string): Effect.Effect<SnapshotRecord.SnapshotRecord, BackupError> => {
  const { record } = paths(directory, id)
  return Effect.flatMap(
    DurableFiles.attempt(() => Fs.readFile(record, "utf8")),
    (text) => SnapshotRecord.decode(text, record)
  )
}

/** Returns the identity of the store that the newest snapshot with one has. A damaged record, which a verification reports, is skipped. */
const findOwner = Effect.fnUntraced(function* (directory: string) {
  for (const id of (yield* list(directory)).toReversed()) {
    const record = yield* Effect.option(read(directory, id))
    if (Option.isSome(record) && record.value.storeId !== undefined) return record.value.storeId
  }
  return undefined
})

/** Fails when the newest snapshot is of another deployment than the one whose store has this identity. */
export const checkOwner = Effect.fnUntraced(function* (
  directory: string,
  storeId: string | undefined
): Effect.fn.Return<void, BackupError> {
  const owner = yield* findOwner(directory)
  if (owner === undefined || owner === storeId) return
  return yield* new BackupError({
    message: `${directory} is the backup of another deployment. Name another directory. If this deployment was restored from it and replaces the other one, add --adopt-destination once.`
  })
})

/** Returns the id of a snapshot that exists: the given one, or the newest. */
export const choose = Effect.fnUntraced(function* (
  directory: string,
  wanted: string | undefined
): Effect.fn.Return<string, BackupError> {
  yield* check(directory)
  const ids = yield* list(directory)
  const id = wanted === undefined ? ids.at(-1) : ids.find((id) => id === wanted)
  if (id !== undefined) return id
  return yield* new BackupError({
    message:
      ids.length === 0
        ? `${directory} has no complete snapshot.`
        : `${directory} has no snapshot ${wanted}. Its snapshots are: ${ids.join(", ")}.`
  })
})

/** Removes what interrupted backups and removals left. */
const clean = (directory: string): Effect.Effect<void, BackupError> =>
  Effect.flatMap(DurableFiles.names(snapshotsOf(directory)), (names) =>
    Effect.forEach(
      names.filter((name) => name.startsWith(".")),
      (name) => DurableFiles.remove(Path.join(snapshotsOf(directory), name)),
      { discard: true }
    )
  )

/** Begins a snapshot. It is not visible before `publish`. */
export const begin = Effect.fnUntraced(function* (
  directory: string,
  id: string
): Effect.fn.Return<SnapshotPaths, BackupError> {
  yield* DurableFiles.makeDirectory(snapshotsOf(directory))
  yield* clean(directory)
  const unfinished = pathsIn(Path.join(snapshotsOf(directory), `.${id}`))
  yield* DurableFiles.makeDirectory(unfinished.directory)
  return unfinished
})

/** Completes a snapshot, durably. */
export const publish = Effect.fnUntraced(function* (
  directory: string,
  unfinished: SnapshotPaths,
  record: SnapshotRecord.SnapshotRecord
): Effect.fn.Return<void, BackupError> {
  yield* DurableFiles.write(unfinished.record, SnapshotRecord.encode(record))
  yield* DurableFiles.syncDirectory(unfinished.directory)
  yield* DurableFiles.rename(unfinished.directory, paths(directory, record.id).directory)
})

/** Removes a snapshot. Its contents remain, since others may share them. */
export const remove = (directory: string, id: string): Effect.Effect<void, BackupError> => {
  const removed = Path.join(snapshotsOf(directory), `.${id}`)
  return Effect.andThen(DurableFiles.rename(paths(directory, id).directory, removed), DurableFiles.remove(removed))
}
