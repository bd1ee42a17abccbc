/**
 * The consistency check: compares the rows of blobs with the blobs in the store, in both directions.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { MetadataError } from "../MetadataError.ts"
import { Settings } from "../Settings.ts"
import type { BlobError } from "./BlobError.ts"
import * as BlobKey from "./BlobKey.ts"
import { BlobRepository, type BlobRow } from "./BlobRepository.ts"
import { BlobStore } from "./BlobStore.ts"

/**
 * One inconsistency.
 *
 * - `Missing`: the store has no blob for a READY row. Only a backup can repair this.
 * - `WrongSize`: the blob does not have the size that the row records. Only a backup can repair this.
 * - `Unreferenced`: a READY row that is neither a file's content nor a conversion's segment. Repair dooms it.
 * - `Orphan`: a blob without a row. Repair removes it.
 */
export interface Finding {
  readonly kind: "Missing" | "WrongSize" | "Unreferenced" | "Orphan"
  readonly key: string
  /** The file that the blob belongs to; null when there is none. */
  readonly fileId: string | null
  readonly isRepaired: boolean
}

export interface FsckReport {
  /** Rows that were checked. */
  readonly rows: number
  /** Blobs of the store that were checked. */
  readonly blobs: number
  readonly findings: ReadonlyArray<Finding>
}

export interface FsckOptions {
  /** Whether to repair what can be repaired; false when absent. */
  readonly repair?: boolean | undefined
}

export class Fsck extends Context.Service<
  Fsck,
  {
    /**
     * Checks every row and every blob. With `repair`, repairs what can be repaired without losing a file's bytes. Ignores
     * uploads in progress, so that it can run beside a service.
     */
    readonly check: (options?: FsckOptions) => Effect.Effect<FsckReport, MetadataError | BlobError>
  }
>()("@holdfast/core/storage/Fsck") {}

/** Rows or blobs per batch. */
const batchSize = 500

const make = Effect.gen(function* () {
  const store = yield* BlobStore
  const repository = yield* BlobRepository
  const settings = yield* Settings

  /** Compares a READY row with its blob. Returns the kind of inconsistency; undefined when there is none. */
  const compare = (row: BlobRow): Effect.Effect<Finding["kind"] | undefined, BlobError> =>
    store.stat(BlobKey.make(row)).pipe(
      Effect.map(({ size }) => (size === row.size ? undefined : "WrongSize")),
      Effect.catchIf(
        (error) => error.reason === "NotFound",
        () => Effect.succeed("Missing" as const)
      )
    )

  const checkRow = (row: BlobRow, repair: boolean) =>
    Effect.gen(function* () {
      if (row.state !== "READY") return undefined
      if (row.fileId === null) {
        const sweepAt = DateTime.addDuration(yield* DateTime.now, settings.blobGrace)
        const doomed = repair ? yield* repository.doomUnreferenced([row.blobId], sweepAt) : 0
        return finding("Unreferenced", row, doomed > 0)
      }
      const kind = yield* compare(row)
      return kind === undefined ? undefined : finding(kind, row, false)
    })

  const checkRows = Effect.fnUntraced(function* (repair: boolean) {
    const findings: Array<Finding> = []
    let count = 0
    let after: string | undefined
    while (true) {
      const rows = yield* repository.list({ after, limit: batchSize })
      const results = yield* Effect.forEach(rows, (row) => checkRow(row, repair), { concurrency: 8 })
      findings.push(...results.filter((result) => result !== undefined))
      count += rows.length
      after = rows.at(-1)?.blobId
      if (rows.length < batchSize) return { count, findings }
    }
  })

  /** Finds blobs without a row. A row is inserted before its blob's first byte, so an upload in progress is no orphan. */
  const checkBlobs = Effect.fnUntraced(function* (repair: boolean) {
    const findings: Array<Finding> = []
    let count = 0
    yield* store.list("").pipe(
      Stream.grouped(batchSize),
      Stream.runForEach((entries) =>
        Effect.gen(function* () {
          count += entries.length
          const ids = entries.map(({ key }) => BlobKey.parse(key)?.blobId)
          const known = yield* repository.filterKnown(ids.filter((id) => id !== undefined))
          for (const [index, { key }] of entries.entries()) {
            const id = ids[index]
            if (id !== undefined && known.has(id)) continue
            if (repair) yield* store.remove(key)
            findings.push({ kind: "Orphan", key, fileId: null, isRepaired: repair })
          }
        })
      )
    )
    return { count, findings }
  })

  return Fsck.of({
    check: Effect.fn("Fsck.check")(function* (options) {
      const repair = options?.repair === true
      const rows = yield* checkRows(repair)
      const blobs = yield* checkBlobs(repair)
      return { rows: rows.count, blobs: blobs.count, findings: [...rows.findings, ...blobs.findings] }
    })
  })
})

const finding = (kind: Finding["kind"], row: BlobRow, isRepaired: boolean): Finding => ({
  kind,
  key: BlobKey.make(row),
  fileId: row.fileId,
  isRepaired
})

export const layer: Layer.Layer<Fsck, never, BlobStore | BlobRepository> = Layer.effect(Fsck, make)
