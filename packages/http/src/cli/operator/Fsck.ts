/**
 * `holdfast fsck`: runs the consistency check on the stores, without a service.
 */
import * as Fsck from "@holdfast/core/storage/Fsck"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BlobStoreLayer from "../../server/compose/BlobStoreLayer.ts"
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
    Orphan: "the content has no record"
  }[kind]
  return `${kind.padEnd(12)}  ${key}  ${finding}${isRepaired ? " (repaired)" : ""}`
}

const services = (settings: BlobStoreLayer.StoreSettings) =>
  Fsck.layer.pipe(Layer.provide([MetadataLayer.layer(settings), BlobStoreLayer.layerUnlocked(settings)]))

/** Prints every finding and a summary. Fails if a finding is not repaired. */
export const run = (settings: BlobStoreLayer.StoreSettings, { repair }: { readonly repair: boolean }) =>
  Effect.gen(function* () {
    const { check } = yield* Fsck.Fsck
    const { blobs, findings, lost, rows, unrepaired } = yield* check({
      repair,
      onFinding: (finding) => Output.writeLine(describe(finding))
    })
    yield* Output.writeLine(`${rows} records, ${blobs} contents: ${findings} findings, ${unrepaired} not repaired.`)
    if (unrepaired > 0) return yield* new Inconsistent({ count: unrepaired, lost })
  }).pipe(Effect.provide(services(settings)))
