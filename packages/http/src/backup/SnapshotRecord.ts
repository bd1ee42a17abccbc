/**
 * The record of a snapshot: the file `snapshot.json` beside its metadata.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { BackupError } from "./BackupError.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Record = Schema.Struct({
  /** When the snapshot was taken, in UTC, without separators: names of snapshots sort by time. */
  id: Schema.String,
  createdAt: Schema.String,
  /** The version of the program that wrote the snapshot. */
  version: Schema.String,
  /** The identity of the blob store of the deployment; absent where the database had recorded none. */
  storeId: Schema.optionalKey(Schema.String),
  /** The id of the last migration of the metadata. */
  schema: Count,
  /** `copy`: the contents are in the backup. `manifest`: only their keys, sizes and checksums are, in the metadata. */
  contents: Schema.Literals(["copy", "manifest"]),
  /** The number of contents that the metadata refer to, and their bytes. */
  count: Count,
  bytes: Count,
  /** The number of contents that the store did not have, or had with other bytes than their records. */
  lost: Count,
  /** The file with the metadata. */
  metadata: Schema.Struct({ size: Count, sha256: Schema.String }),
  /** Whether the snapshot has the secret key. */
  hasSecretKey: Schema.Boolean
})

export type SnapshotRecord = typeof Record.Type

/** Whether contents are copied, or only listed. */
export type ContentMode = SnapshotRecord["contents"]

const json = Schema.fromJsonString(Record)

/** Returns the id of a snapshot that is taken at a time: `20261122T152603000Z`. */
export const idOf = (createdAt: string): string => createdAt.replaceAll(/[-:.]/g, "")

/** Whether a name is the id of a snapshot. */
export const isId = (name: string): boolean => /^\d{8}T\d{9}Z$/.test(name)

export const encode = (record: SnapshotRecord): string => `${JSON.stringify(record, undefined, 2)}\n`

/** Parses a record. `path` is for the message of the failure. */
export const decode = (text: string, path: string): Effect.Effect<SnapshotRecord, BackupError> =>
  Effect.mapError(
    Schema.decodeEffect(json)(text),
    (cause) => new BackupError({ message: `${path} is not the record of a snapshot. Use another snapshot.`, cause })
  )
