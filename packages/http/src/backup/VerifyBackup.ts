/**
 * Reads all of a backup and compares it with its records.
 */
import type { BlobError } from "@holdfast/core/storage/BlobError"
import * as SchemaVersion from "@holdfast/sql/migrations/SchemaVersion"
import * as MetadataSnapshot from "@holdfast/sqlite/MetadataSnapshot"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as BackupDirectory from "./BackupDirectory.ts"
import * as CopyContents from "./CopyContents.ts"
import * as DurableFiles from "./DurableFiles.ts"
import * as OpenBackup from "./OpenBackup.ts"
import type * as SnapshotRecord from "./SnapshotRecord.ts"

export interface VerifyOptions extends CopyContents.Observer {
  readonly directory: string
  /** The id of the snapshot; all snapshots when absent. */
  readonly snapshot: string | undefined
  /** Receives the number of bytes of the contents of a snapshot. */
  readonly onBegin: (bytes: number) => void
  /** The metadata of a snapshot are not what its record says, or cannot be restored by this version. */
  readonly onProblem: (problem: string) => void
}

export interface VerifyResult {
  readonly snapshots: ReadonlyArray<string>
  /** Contents that were read. A content of several snapshots is read once. */
  readonly contents: number
  readonly faults: number
}

const newer = ({ id }: SnapshotRecord.SnapshotRecord, what: string): string =>
  `The snapshot ${id} has ${what}, which this version of Holdfast does not know. Use a newer version.`

/** Returns what is wrong with the metadata of a snapshot; undefined when nothing is. */
export const findProblem = Effect.fnUntraced(function* (directory: string, record: SnapshotRecord.SnapshotRecord) {
  const { metadata, secretKey } = BackupDirectory.paths(directory, record.id)
  if (!(yield* DurableFiles.exists(metadata))) return `${metadata} is missing.`
  const { sha256, size } = yield* DurableFiles.digest(metadata)
  if (sha256 !== record.metadata.sha256 || size !== record.metadata.size) return `${metadata} is damaged.`
  if (record.hasSecretKey && !(yield* DurableFiles.exists(secretKey))) return `${secretKey} is missing.`
  if (record.schema > SchemaVersion.known) return newer(record, `schema ${record.schema}`)
  const { migrations } = yield* Effect.scoped(MetadataSnapshot.open(metadata))
  const unknown = SchemaVersion.findUnknown(migrations)
  return unknown === undefined ? undefined : newer(record, `migration ${unknown}`)
})

/** Verifies one snapshot, except for contents of the snapshots that were verified before. */
const verifySnapshot = Effect.fnUntraced(function* (
  { directory, onBegin, onBytes, onProblem }: VerifyOptions,
  id: string,
  verified: ReadonlyArray<MetadataSnapshot.MetadataSnapshot>,
  run: (contents: Stream.Stream<MetadataSnapshot.SnapshotContent>) => Effect.Effect<void, BlobError>
) {
  const record = yield* BackupDirectory.read(directory, id)
  const problem = yield* findProblem(directory, record)
  if (problem !== undefined) return void onProblem(problem)
  const snapshot = yield* MetadataSnapshot.open(BackupDirectory.paths(directory, id).metadata)
  const damage = snapshot.findDamage()
  if (damage !== undefined) return void onProblem(`The metadata of the snapshot ${id} are damaged: ${damage}.`)
  const { bytes, contents } = snapshot.totals()
  if (contents !== record.count || bytes !== record.bytes) onProblem(`The record of the snapshot ${id} is damaged.`)
  if (record.contents === "manifest") return
  onBegin(bytes)
  yield* run(
    CopyContents.all(snapshot).pipe(
      Stream.filter(({ blobId, size }) => {
        const isVerified = verified.some((other) => other.has(blobId))
        if (isVerified) onBytes(size)
        return !isVerified
      })
    )
  )
  return snapshot
})

/**
 * Reads the metadata and the contents of snapshots, the newest first, and compares their sizes and SHA-256. Of a snapshot that was
 * made with contents on the store's side (`manifest`), it reads the metadata.
 */
export const verify = (options: VerifyOptions) =>
  Effect.gen(function* () {
    const { directory, onBytes, onFault, onProblem, snapshot: wanted } = options
    const store = yield* OpenBackup.contents(directory)
    const chosen = yield* BackupDirectory.choose(directory, wanted)
    const ids = wanted === undefined ? (yield* BackupDirectory.list(directory)).toReversed() : [chosen]
    const verified: Array<MetadataSnapshot.MetadataSnapshot> = []
    let [contents, faults] = [0, 0]
    const counted = {
      ...options,
      onProblem: (problem: string) => {
        faults++
        onProblem(problem)
      }
    }
    const run = (stream: Stream.Stream<MetadataSnapshot.SnapshotContent>) =>
      CopyContents.forEach(
        stream,
        (content) => {
          contents++
          return Effect.tap(CopyContents.verify(store, content), () => Effect.sync(() => onBytes(content.size)))
        },
        {
          onFault: (fault) => {
            faults++
            onFault(fault)
          }
        }
      )
    for (const id of ids) {
      const snapshot = yield* verifySnapshot(counted, id, verified, run)
      if (snapshot !== undefined) verified.push(snapshot)
    }
    const result: VerifyResult = { snapshots: ids, contents, faults }
    return result
  }).pipe(Effect.scoped)
