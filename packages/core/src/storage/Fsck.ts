/**
 * The consistency check: compares the rows of blobs with the blobs in the store, in both directions, and the usage counters with what
 * they count.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { MetadataError } from "../MetadataError.ts"
import { Settings } from "../Settings.ts"
import { type Recounted, UsageRepository } from "../usage/UsageRepository.ts"
import type { BlobError } from "./BlobError.ts"
import * as BlobKey from "./BlobKey.ts"
import { BlobRepository, type BlobRow } from "./BlobRepository.ts"
import { BlobStore } from "./BlobStore.ts"
import * as DamageKind from "./DamageKind.ts"

/**
 * One inconsistency.
 *
 * - `Missing`: the store has no blob for a READY row, or a composite content lacks a part. Only a copy or a backup can repair this.
 * - `WrongSize`: the blob does not have the size that the row records. Only a copy or a backup can repair this.
 * - `Damaged`: a scrub or a reader found that the bytes are not those of the row. The check itself reads no bytes.
 * - `Unreferenced`: a READY row that is neither a file's content, nor a conversion's segment, nor a part. Repair dooms it.
 * - `Orphan`: a blob without a row. Repair removes it.
 * - `UsageDrift`: the usage counters of a bucket or tenant are not those of its rows. Repair corrects them.
 */
export interface Finding {
  readonly kind: DamageKind.DamageKind | "Unreferenced" | "Orphan" | "UsageDrift"
  /** The key of the blob; of a `UsageDrift` the id of the bucket or tenant. */
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
  readonly findings: number
  /** Findings that were not repaired. */
  readonly unrepaired: number
  /** Findings whose kind is a `DamageKind`. */
  readonly lost: number
}

export interface FsckOptions {
  /** Whether to repair what can be repaired; false when absent. */
  readonly repair?: boolean | undefined
  /** Receives each finding, one after the other. The check keeps none: after a lost disk there is one for each content. */
  readonly onFinding?: ((finding: Finding) => Effect.Effect<void>) | undefined
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

/** Buckets or tenants whose counters one statement compares. */
const ownersAtOnce = 50

/** Blobs that are looked up or removed at a time. */
const concurrency = 8

const make = Effect.gen(function* () {
  const store = yield* BlobStore
  const repository = yield* BlobRepository
  const usage = yield* UsageRepository
  const settings = yield* Settings

  /** Compares a READY row with its blob. Returns the kind of inconsistency; undefined when there is none. */
  const compare = (row: BlobRow): Effect.Effect<Finding["kind"] | undefined, BlobError> =>
    store.stat(BlobKey.make(row)).pipe(
      Effect.map(({ size }) => (size !== row.size ? "WrongSize" : row.damage === "Damaged" ? row.damage : undefined)),
      Effect.catchIf(
        (error) => error.reason === "NotFound",
        () => Effect.succeed("Missing" as const)
      )
    )

  const checkRow = Effect.fnUntraced(function* (row: BlobRow, repair: boolean) {
    if (row.state !== "READY") return undefined
    if (row.fileId === null && !row.isPart) {
      const sweepAt = DateTime.addDuration(yield* DateTime.now, settings.blobGrace)
      const doomed = repair ? yield* repository.doomUnreferenced([row.blobId], sweepAt) : 0
      return finding("Unreferenced", row, doomed > 0)
    }
    const kind = row.hasParts === null ? yield* compare(row) : row.hasParts ? undefined : "Missing"
    return kind === undefined ? undefined : finding(kind, row, false)
  })

  /** Checks every row. Returns their number. */
  const checkRows = Effect.fnUntraced(function* (repair: boolean, report: Report) {
    let count = 0
    let after: string | undefined
    while (true) {
      const rows = yield* repository.list({ after, limit: batchSize })
      const results = yield* Effect.forEach(rows, (row) => checkRow(row, repair), { concurrency })
      yield* report(results.filter((result) => result !== undefined))
      count += rows.length
      after = rows.at(-1)?.blobId
      if (rows.length < batchSize) return count
    }
  })

  /**
   * Finds blobs without a row. A row is inserted before its blob's first byte, so an upload in progress is no orphan. Returns
   * the number of blobs.
   */
  const checkBlobs = Effect.fnUntraced(function* (repair: boolean, report: Report) {
    let count = 0
    yield* store.list("").pipe(
      Stream.filter(({ key }) => !key.startsWith(BlobKey.identityPrefix)),
      Stream.grouped(batchSize),
      Stream.runForEach((entries) =>
        Effect.gen(function* () {
          count += entries.length
          const ids = entries.map(({ key }) => BlobKey.parse(key)?.blobId)
          const known = yield* repository.filterKnown(ids.filter((id) => id !== undefined))
          const orphans = entries.filter((_, index) => !known.has(ids[index] ?? ""))
          if (repair) yield* Effect.forEach(orphans, ({ key }) => store.remove(key), { concurrency, discard: true })
          yield* report(orphans.map(({ key }) => ({ kind: "Orphan", key, fileId: null, isRepaired: repair })))
        })
      )
    )
    return count
  })

  /** Checks the counters: those of the buckets first, because those of a tenant are compared with them. */
  const checkUsage = Effect.fnUntraced(function* (repair: boolean, report: Report) {
    for (const owner of ["bucket", "tenant"] as const) {
      let after: string | null = ""
      while (after !== null) {
        const part: Recounted = yield* usage.recount({ owner, after, limit: ownersAtOnce, repair })
        yield* report(
          part.drifts.map(({ ownerId }) => ({ kind: "UsageDrift", key: ownerId, fileId: null, isRepaired: repair }))
        )
        after = part.last
      }
    }
  })

  return Fsck.of({
    check: Effect.fn("Fsck.check")(function* (options) {
      const repair = options?.repair === true
      const counts = { findings: 0, unrepaired: 0, lost: 0 }
      const report: Report = (findings) =>
        Effect.forEach(
          findings,
          (finding) => {
            counts.findings++
            if (!finding.isRepaired) counts.unrepaired++
            if (isLost(finding)) counts.lost++
            return options?.onFinding?.(finding) ?? Effect.void
          },
          { discard: true }
        )
      const rows = yield* checkRows(repair, report)
      const blobs = yield* checkBlobs(repair, report)
      yield* checkUsage(repair, report)
      return { rows, blobs, ...counts }
    })
  })
})

const isLost = ({ kind }: Finding): boolean => DamageKind.kinds.some((lost) => lost === kind)

/** Counts findings and passes them on. */
type Report = (findings: ReadonlyArray<Finding>) => Effect.Effect<void>

const finding = (kind: Finding["kind"], row: BlobRow, isRepaired: boolean): Finding => ({
  kind,
  key: BlobKey.make(row),
  fileId: row.fileId,
  isRepaired
})

export const layer: Layer.Layer<Fsck, never, BlobStore | BlobRepository | UsageRepository> = Layer.effect(Fsck, make)
