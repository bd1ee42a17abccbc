/**
 * Restores the damaged and missing contents of a deployment from a backup, while the service may run.
 */
import * as StoreIdentity from "@holdfast/core/deployment/StoreIdentity"
import * as Integrity from "@holdfast/core/integrity/Integrity"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import { BlobRepository, type BlobRow } from "@holdfast/core/storage/BlobRepository"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as BlobStoreLayer from "../server/compose/BlobStoreLayer.ts"
import * as CoreLayer from "../server/compose/CoreLayer.ts"
import * as IntegrityLayer from "../server/compose/IntegrityLayer.ts"
import * as MetadataLayer from "../server/compose/MetadataLayer.ts"
import type * as CopyContents from "./CopyContents.ts"
import * as ExistingDatabase from "../server/startup/ExistingDatabase.ts"
import * as OpenBackup from "./OpenBackup.ts"
import { ContentFault } from "./VerifiedContent.ts"

export interface RestoreDamagedOptions extends CopyContents.Observer {
  readonly directory: string
  /** A content was restored. */
  readonly onRestored: (key: string) => void
}

export interface RestoreDamagedResult {
  /** Contents that were read and compared with their records. */
  readonly checked: number
  readonly restored: number
  /** Contents that are damaged or missing, and that the backup does not have, or has damaged. */
  readonly lost: number
}

/** Rows in memory at a time. */
const pageSize = 500

/** Contents that are read at a time: fewer than in a backup, because the service uses the same disk. */
const concurrency = 4

/** Streams the rows of the contents that have to be in the store. */
const ready = Stream.unwrap(
  Effect.map(BlobRepository, (repository) =>
    Stream.paginate(undefined, (after: string | undefined) =>
      Effect.map(repository.list({ after, limit: pageSize }), (rows) => {
        const last = rows.at(-1)
        const isLast = rows.length < pageSize || last === undefined
        return [
          rows.filter(({ state }) => state === "READY"),
          isLast ? Option.none() : Option.some<string | undefined>(last.blobId)
        ] as const
      })
    )
  )
)

/** Restores one content. Returns whether the backup has it. */
const restoreOne = Effect.fnUntraced(function* (backup: BlobStore["Service"], row: BlobRow) {
  const { restoreContent } = yield* Integrity.Integrity
  return yield* restoreContent(row.blobId, backup.read(BlobKey.make(row))).pipe(
    Effect.as(true),
    Effect.catchTags({
      NotTheContent: () => Effect.succeed(false),
      // The file was removed meanwhile.
      NotFound: () => Effect.succeed(true)
    }),
    Effect.catchIf(
      (error) => error._tag === "BlobError" && error.reason === "NotFound",
      () => Effect.succeed(false)
    )
  )
})

const services = (settings: BlobStoreLayer.StoreSettings) =>
  IntegrityLayer.checks.pipe(
    Layer.provideMerge([MetadataLayer.layer(settings), BlobStoreLayer.layerUnlocked(settings), CoreLayer.layerCrypto])
  )

/**
 * Reads every content of the deployment and compares it with its record. Those that are damaged or missing are replaced by the ones
 * of the backup, whichever snapshot they belong to, if these are what the record says. Readers see the restored content at once.
 *
 * Fails with `StoreMismatch` when the store is that of another deployment. A store that has lost all contents gets its identity back.
 */
export const restoreDamaged = (settings: BlobStoreLayer.StoreSettings, options: RestoreDamagedOptions) =>
  Effect.gen(function* () {
    const { directory, onBytes, onFault, onRestored } = options
    const backup = yield* OpenBackup.contents(directory)
    yield* ExistingDatabase.check(settings)
    const result = { checked: 0, restored: 0, lost: 0 }
    const check = Effect.fnUntraced(function* (row: BlobRow) {
      const { verifyById } = yield* Integrity.Integrity
      const kind = yield* verifyById(row.blobId)
      result.checked++
      onBytes(row.size ?? 0)
      if (kind === undefined) return
      const key = BlobKey.make(row)
      if (yield* restoreOne(backup, row)) {
        result.restored++
        onRestored(key)
      } else {
        result.lost++
        onFault(new ContentFault({ kind, key }))
      }
    })
    yield* StoreIdentity.compareOrRenew.pipe(
      Effect.andThen(Stream.runDrain(Stream.mapEffect(ready, check, { concurrency, unordered: true }))),
      Effect.provide(services(settings))
    )
    const summary: RestoreDamagedResult = result
    return summary
  }).pipe(Effect.scoped)
