/**
 * Restores a snapshot into a deployment without data.
 */
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as StoreIdentity from "@holdfast/core/deployment/StoreIdentity"
import * as Fsck from "@holdfast/core/storage/Fsck"
import { pauseMirrors } from "@holdfast/sql/archive/PauseMirrors"
import * as MetadataSnapshot from "@holdfast/sqlite/MetadataSnapshot"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Path from "node:path"
import * as BlobStoreLayer from "../server/compose/BlobStoreLayer.ts"
import * as CoreLayer from "../server/compose/CoreLayer.ts"
import * as MetadataLayer from "../server/compose/MetadataLayer.ts"
import { fileName as secretKeyFile } from "../server/compose/SecretKey.ts"
import type { BackupSettings } from "./Backup.ts"
import * as BackupDirectory from "./BackupDirectory.ts"
import { BackupError } from "./BackupError.ts"
import * as CopyContents from "./CopyContents.ts"
import * as DurableFiles from "./DurableFiles.ts"
import * as OpenBackup from "./OpenBackup.ts"
import * as RestoreMetadata from "./RestoreMetadata.ts"
import * as VerifyBackup from "./VerifyBackup.ts"

export interface RestoreOptions extends CopyContents.Observer {
  readonly directory: string
  /** The id of the snapshot; the newest one when absent. */
  readonly snapshot: string | undefined
  /** Whether all mirrors are paused and all webhooks disabled, as for a practice restore beside the deployment that was backed up. */
  readonly pauseMirrors: boolean
  /** Receives the number of bytes of all contents, before the first one is restored. */
  readonly onBegin: (bytes: number) => void
  /** Receives what the consistency check finds at the end. */
  readonly onFinding: (finding: Fsck.Finding) => Effect.Effect<void>
}

export interface RestoreResult {
  readonly id: string
  /** When the snapshot was taken. */
  readonly createdAt: string
  readonly count: number
  readonly bytes: number
  /** Contents that were copied, and those that an interrupted restore had copied. */
  readonly copied: number
  readonly kept: number
  /** Findings of the consistency check. */
  readonly findings: number
  /** Whether the secret key of the snapshot was restored. */
  readonly hasSecretKey: boolean
}

/** Fails when the store has a content that is not in the snapshot: an interrupted restore leaves others only. */
const checkStore = (store: BlobStore["Service"], snapshot: MetadataSnapshot.MetadataSnapshot) =>
  Stream.runForEach(store.list(""), ({ key }) =>
    key.startsWith(BlobKey.identityPrefix) || snapshot.has(BlobKey.parse(key)?.blobId ?? "")
      ? Effect.void
      : Effect.fail(
          new BackupError({
            message: `The store has contents that are not in the snapshot, such as ${key}. A restore needs an empty store.`
          })
        )
  )

const restoreSecretKey = Effect.fnUntraced(function* ({ dataDir, secretKey }: BackupSettings, file: string) {
  if (secretKey !== undefined || !(yield* DurableFiles.exists(file))) return false
  yield* DurableFiles.makeDirectory(dataDir)
  const restored = Path.join(dataDir, secretKeyFile)
  yield* DurableFiles.copy(file, restored)
  yield* DurableFiles.giveToOwner(dataDir, restored)
  yield* DurableFiles.syncDirectory(dataDir)
  return true
})

/**
 * Compares the restored records with the restored contents, and then gives the store an identity of its own: this ends the restore, and
 * services can start. Opening the database analyses it.
 */
const finish = (settings: BackupSettings, store: BlobStore["Service"], options: RestoreOptions) =>
  Effect.gen(function* () {
    if (options.pauseMirrors) yield* pauseMirrors
    const { check } = yield* Fsck.Fsck
    const { findings } = yield* check({ onFinding: options.onFinding })
    yield* StoreIdentity.adopt
    return findings
  }).pipe(
    Effect.provide(
      Fsck.layer.pipe(
        Layer.provideMerge(
          Layer.mergeAll(MetadataLayer.layer(settings), Layer.succeed(BlobStore, store), CoreLayer.layerCrypto)
        )
      )
    )
  )

/**
 * Restores contents first and metadata last, so that no service starts with a part. Verifies each content while it copies it. After
 * an interruption at any point, the same call continues. Contents that are missing in the backup, or damaged, are reported and left out.
 */
export const restore = (settings: BackupSettings, options: RestoreOptions) =>
  Effect.gen(function* () {
    const { directory, onBegin, onBytes, onFault } = options
    const from = yield* OpenBackup.contents(directory)
    const id = yield* BackupDirectory.choose(directory, options.snapshot)
    const record = yield* BackupDirectory.read(directory, id)
    const problem = yield* VerifyBackup.findProblem(directory, record)
    if (problem !== undefined) return yield* new BackupError({ message: problem })
    const isRestored = yield* RestoreMetadata.isRestored(settings, id)
    const paths = BackupDirectory.paths(directory, id)
    const snapshot = yield* MetadataSnapshot.open(paths.metadata)
    return yield* Effect.gen(function* () {
      const to = yield* BlobStore
      const isCopy = record.contents === "copy"
      if (isCopy) yield* checkStore(to, snapshot)
      if (isCopy) onBegin(record.bytes)
      const { copied, kept } = isCopy
        ? yield* CopyContents.copyAll({ snapshot, from, to, verifiesKept: true, onBytes, onFault })
        : { copied: 0, kept: record.count }
      const hasSecretKey = yield* restoreSecretKey(settings, paths.secretKey)
      if (!isRestored) yield* RestoreMetadata.restore(settings, { id, file: paths.metadata })
      const findings = yield* finish(settings, to, options)
      const { bytes, count, createdAt } = record
      const result: RestoreResult = { id, createdAt, count, bytes, copied, kept, findings, hasSecretKey }
      return result
    }).pipe(Effect.provide(BlobStoreLayer.layer(settings)))
  }).pipe(Effect.scoped)
