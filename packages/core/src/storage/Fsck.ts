/**
 * The consistency check: rows and blobs are compared in both directions.
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
 * What the check found.
 *
 * - `Missing`: a file's bytes are gone. Nothing repairs this but a backup.
 * - `WrongSize`: a file's bytes are not as many as were acknowledged. Likewise.
 * - `Unreferenced`: a blob that is READY but neither a file's content nor a segment. Repair dooms it.
 * - `Orphan`: bytes without a row. Repair removes them.
 */
export interface Finding {
  readonly kind: "Missing" | "WrongSize" | "Unreferenced" | "Orphan"
  readonly key: string
  /** The file concerned, where there is one. */
  readonly fileId: string | null
  readonly isRepaired: boolean
}

export interface FsckReport {
  readonly rows: number
  readonly blobs: number
  readonly findings: ReadonlyArray<Finding>
}

export interface FsckOptions {
  readonly repair?: boolean | undefined
}

export class Fsck extends Context.Service<
  Fsck,
  {
    /**
     * Checks everything; with `repair`, mends what can be mended without losing a file's bytes. Uploads under way are
     * left alone, so that it may run beside a service.
     */
    readonly check: (options?: FsckOptions) => Effect.Effect<FsckReport, MetadataError | BlobError>
  }
>()("@holdfast/core/storage/Fsck") {}

const batch = 500

const make = Effect.gen(function* () {
  const store = yield* BlobStore
  const repository = yield* BlobRepository
  const settings = yield* Settings

  /** The fault in one READY row's bytes. */
  const examine = (row: BlobRow): Effect.Effect<Finding["kind"] | undefined, BlobError> =>
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
      const kind = yield* examine(row)
      return kind === undefined ? undefined : finding(kind, row, false)
    })

  const checkRows = Effect.fnUntraced(function* (repair: boolean) {
    const findings: Array<Finding> = []
    let count = 0
    let after: string | undefined
    while (true) {
      const rows = yield* repository.list(after, batch)
      const found = yield* Effect.forEach(rows, (row) => checkRow(row, repair), { concurrency: 8 })
      findings.push(...found.filter((one) => one !== undefined))
      count += rows.length
      after = rows.at(-1)?.blobId
      if (rows.length < batch) return { count, findings }
    }
  })

  /** Bytes whose row is unknown. A row is written before the first byte, so there is no race with an upload. */
  const checkBlobs = Effect.fnUntraced(function* (repair: boolean) {
    const findings: Array<Finding> = []
    let count = 0
    yield* store.list("").pipe(
      Stream.grouped(batch),
      Stream.runForEach((entries) =>
        Effect.gen(function* () {
          count += entries.length
          const ids = entries.map(({ key }) => BlobKey.parse(key)?.blobId)
          const known = yield* repository.known(ids.filter((id) => id !== undefined))
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
