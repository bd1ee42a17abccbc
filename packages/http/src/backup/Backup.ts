/**
 * Backs a deployment up into a directory, while the service may run.
 */
import { DeploymentRepository } from "@holdfast/core/deployment/DeploymentRepository"
import * as StoreIdentity from "@holdfast/core/deployment/StoreIdentity"
import * as StoreTime from "@holdfast/core/StoreTime"
import * as BlobHold from "@holdfast/core/storage/BlobHold"
import { BlobError } from "@holdfast/core/storage/BlobError"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import { DirectoryLockError } from "@holdfast/fs/DirectoryLock"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as MetadataSnapshot from "@holdfast/sqlite/MetadataSnapshot"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "node:path"
import * as BlobStoreLayer from "../server/compose/BlobStoreLayer.ts"
import * as CoreLayer from "../server/compose/CoreLayer.ts"
import * as MetadataLayer from "../server/compose/MetadataLayer.ts"
import { fileName as secretKeyFile } from "../server/compose/SecretKey.ts"
import type { Config } from "../server/config/Config.ts"
import * as BackupDirectory from "./BackupDirectory.ts"
import { BackupError } from "./BackupError.ts"
import * as CopyContents from "./CopyContents.ts"
import * as DurableFiles from "./DurableFiles.ts"
import * as ExistingDatabase from "../server/startup/ExistingDatabase.ts"
import * as Prune from "./Prune.ts"
import * as SaveMetadata from "./SaveMetadata.ts"
import * as SnapshotRecord from "./SnapshotRecord.ts"

export type BackupSettings = BlobStoreLayer.StoreSettings & Pick<Config, "secretKey">

export interface BackupOptions extends CopyContents.Observer {
  /** The directory of the backup. It is created if it does not exist. */
  readonly destination: string
  readonly contents: SnapshotRecord.ContentMode
  /** Whether to continue a directory with snapshots of another deployment, such as the one that this was restored from. */
  readonly adoptDestination: boolean
  /** How many snapshots the directory keeps; all when absent. */
  readonly keep: number | undefined
  /** The version of this program, for the record. */
  readonly version: string
  /** Receives the number of bytes of all contents, before the first one is copied. */
  readonly onBegin: (bytes: number) => void
}

/** A snapshot that was made, what was copied for it, and what was removed afterwards. */
export interface BackupResult extends SnapshotRecord.SnapshotRecord, Prune.PruneResult {
  readonly copied: number
  readonly copiedBytes: number
}

const nothingCopied: CopyContents.CopyResult = { copied: 0, copiedBytes: 0, kept: 0, lost: 0 }

/** Fails when the backup would be among the files that are backed up. */
const checkPlace = (destination: string, dataDir: string) => {
  const relative = Path.relative(Path.resolve(dataDir), Path.resolve(destination))
  return relative.startsWith("..") || Path.isAbsolute(relative)
    ? Effect.void
    : Effect.fail(
        new BackupError({ message: `${destination} is inside of the data directory. Name a directory outside of it.` })
      )
}

/** Copies the secret key, unless the configuration has it or nothing is kept in the data directory. */
const saveSecretKey = Effect.fnUntraced(function* ({ dataDir, secretKey }: BackupSettings, file: string) {
  const source = Path.join(dataDir, secretKeyFile)
  if (secretKey !== undefined || !(yield* DurableFiles.exists(source))) return false
  yield* DurableFiles.copy(source, file)
  return true
})

/** Makes a snapshot in a directory whose lock this process holds. `from` is the store that is backed up. */
const makeSnapshot = (
  settings: BackupSettings,
  { adoptDestination, contents, destination, onBegin, onBytes, onFault, version }: BackupOptions,
  from: BlobStore["Service"]
) =>
  Effect.gen(function* () {
    const { findStoreId } = yield* DeploymentRepository
    const storeId = yield* findStoreId
    if (!adoptDestination) yield* BackupDirectory.checkOwner(destination, storeId)
    // Before the metadata are read: from then on the contents that they refer to stay.
    yield* BlobHold.acquire
    const createdAt = DateTime.formatIso(yield* DateTime.now)
    const id = SnapshotRecord.idOf(createdAt)
    const unfinished = yield* BackupDirectory.begin(destination, id)
    yield* SaveMetadata.save(settings, unfinished.metadata)
    const hasSecretKey = yield* saveSecretKey(settings, unfinished.secretKey)
    const snapshot = yield* MetadataSnapshot.open(unfinished.metadata)
    const { bytes, contents: count } = snapshot.totals()
    if (contents === "copy") onBegin(bytes)
    const { copied, copiedBytes, lost } =
      contents === "manifest"
        ? nothingCopied
        : yield* CopyContents.copyAll({
            snapshot,
            from,
            to: yield* BlobStore,
            verifiesKept: false,
            onBytes,
            onFault
          })
    const record: SnapshotRecord.SnapshotRecord = {
      id,
      createdAt,
      version,
      ...(storeId === undefined ? undefined : { storeId }),
      schema: Math.max(...snapshot.migrations),
      contents,
      count,
      bytes,
      lost,
      metadata: yield* DurableFiles.digest(unfinished.metadata),
      hasSecretKey
    }
    yield* BackupDirectory.publish(destination, unfinished, record)
    return { ...record, copied, copiedBytes }
  }).pipe(Effect.scoped)

/** Returns the failure with a message for the operator where that of the store is about the service. */
const explain = <E>(error: E, destination: string): E | BackupError => {
  if (error instanceof DirectoryLockError && error.reason === "Held") {
    return new BackupError({
      message: `Another backup, restore or verification uses ${destination}. Wait for its end.`
    })
  }
  return error instanceof BlobError && error.reason === "StorageFull"
    ? new BackupError({
        message: `The disk of ${destination} is full. Free space on it, or keep fewer snapshots (--keep). The next backup continues.`
      })
    : error
}

/** The store that is backed up. */
const source = (settings: BackupSettings) =>
  Effect.map(Layer.build(Layer.fresh(BlobStoreLayer.layerUnlocked(settings))), (context) =>
    Context.get(context, BlobStore)
  )

/**
 * Makes a snapshot of the metadata and copies the contents that the directory lacks. The snapshot is visible when it is complete
 * and durable. After an interruption, the next backup keeps the contents that are copied already.
 *
 * A content that the store has lost does not keep the others from being saved: the result counts it. Fails with `StoreMismatch`, and
 * changes nothing, when the store does not belong to the database.
 */
export const backup = (settings: BackupSettings, options: BackupOptions) =>
  Effect.gen(function* () {
    yield* checkPlace(options.destination, settings.dataDir)
    yield* ExistingDatabase.check(settings)
    const from = yield* source(settings)
    // The hold ends by the time of the store, which the sweepers of all nodes have.
    const repositories = StoreTime.layerClock.pipe(Layer.provideMerge(MetadataLayer.layer(settings)))
    const { destination, keep } = options
    const save = Effect.gen(function* () {
      const made = yield* makeSnapshot(settings, options, from)
      const pruned =
        keep === undefined
          ? { removedSnapshots: [], removedContents: 0 }
          : yield* Prune.prune(destination, yield* BlobStore, keep)
      const result: BackupResult = { ...made, ...pruned }
      return result
    }).pipe(
      Effect.provide(FsBlobStore.layer({ directory: destination })),
      Effect.mapError((error) => explain(error, destination))
    )
    return yield* StoreIdentity.compare.pipe(
      Effect.provideService(BlobStore, from),
      Effect.andThen(BackupDirectory.create(destination)),
      Effect.andThen(save),
      Effect.provide([repositories, CoreLayer.layerCrypto])
    )
  }).pipe(Effect.scoped)
