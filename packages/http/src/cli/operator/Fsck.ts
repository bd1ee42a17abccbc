/**
 * `holdfast fsck`: runs the consistency check on the stores, without a service.
 */
import * as StoreIdentity from "@holdfast/core/deployment/StoreIdentity"
import * as Fsck from "@holdfast/core/storage/Fsck"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BlobStoreLayer from "../../server/compose/BlobStoreLayer.ts"
import * as CoreLayer from "../../server/compose/CoreLayer.ts"
import * as MetadataLayer from "../../server/compose/MetadataLayer.ts"
import * as Output from "../terminal/Output.ts"

/** The stores have faults that were not repaired: `count` in all, `lost` of which only a backup can fix. */
export class Inconsistent extends Data.TaggedError("Inconsistent")<{ readonly count: number; readonly lost: number }> {
  override get message(): string {
    return this.lost === 0
      ? `${this.count} findings are not repaired. Repair them with \`holdfast fsck --repair\`.`
      : `${this.lost} contents are lost or damaged. Restore them with \`holdfast restore --only-damaged\`.`
  }
}

/** Describes a finding in one line. */
export const describe = ({ fileId, isRepaired, key, kind }: Fsck.Finding): string => {
  const file = fileId === null ? "" : ` of ${fileId}`
  const finding = {
    Missing: `the content${file} is missing`,
    Damaged: `the bytes of the content${file} are not those of its record`,
    WrongSize: `the size of the content${file} differs from its record`,
    Unreferenced: "no file uses the content",
    Orphan: "the content has no record",
    UsageDrift: "the counted files or bytes are not those of the records"
  }[kind]
  return `${kind.padEnd(12)}  ${key}  ${finding}${isRepaired ? " (repaired)" : ""}`
}

const services = (settings: BlobStoreLayer.StoreSettings) =>
  Fsck.layer.pipe(
    Layer.provideMerge(Layer.merge(MetadataLayer.layer(settings), BlobStoreLayer.layerUnlocked(settings)))
  )

/** Makes the store that of the database. No service can use the directory meanwhile. */
const adopt = (settings: BlobStoreLayer.StoreSettings) =>
  StoreIdentity.adopt.pipe(
    Effect.provide(
      Layer.mergeAll(
        MetadataLayer.layer(settings).pipe(Layer.provideMerge(BlobStoreLayer.layer(settings))),
        CoreLayer.layerCrypto
      )
    )
  )

export interface Options {
  readonly repair: boolean
  /** Whether to record the store as the one that belongs to the database, before the check. */
  readonly adoptStore: boolean
}

/**
 * Prints every finding and a summary. Fails if a finding is not repaired, and before the check if the store does not belong to the
 * database: every content would be an orphan, and a repair would remove it.
 */
export const run = (settings: BlobStoreLayer.StoreSettings, { adoptStore, repair }: Options) =>
  Effect.gen(function* () {
    yield* StoreIdentity.compare
    const { check } = yield* Fsck.Fsck
    const { blobs, findings, lost, rows, unrepaired } = yield* check({
      repair,
      onFinding: (finding) => Output.writeLine(describe(finding))
    })
    yield* Output.writeLine(`${rows} records, ${blobs} contents: ${findings} findings, ${unrepaired} not repaired.`)
    if (unrepaired > 0) return yield* new Inconsistent({ count: unrepaired, lost })
  }).pipe(Effect.provide(services(settings)), (check) => (adoptStore ? Effect.andThen(adopt(settings), check) : check))
