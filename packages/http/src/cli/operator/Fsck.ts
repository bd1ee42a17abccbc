/**
 * The consistency check, over the stores themselves.
 */
import * as Fsck from "@holdfast/core/storage/Fsck"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BlobStoreLayer from "../../server/compose/BlobStoreLayer.ts"
import * as MetadataLayer from "../../server/compose/MetadataLayer.ts"
import * as Output from "../Output.ts"

/** Something is wrong that was not repaired. */
export class Inconsistent extends Data.TaggedError("Inconsistent")<{ readonly count: number; readonly lost: number }> {
  override get message(): string {
    return this.lost === 0
      ? `${this.count} left as found; \`holdfast fsck --repair\` mends them.`
      : `${this.lost} contents are lost or damaged. Only a backup can bring them back.`
  }
}

const explain = ({ fileId, isRepaired, key, kind }: Fsck.Finding): string => {
  const file = fileId === null ? "" : ` of ${fileId}`
  const what = {
    Missing: `the content${file} is missing`,
    WrongSize: `the content${file} has another size than was acknowledged`,
    Unreferenced: "the content is no file's",
    Orphan: "there is no record of the content"
  }[kind]
  return `${kind.padEnd(12)}  ${key}  ${what}${isRepaired ? " (repaired)" : ""}`
}

const services = (places: BlobStoreLayer.StoreSettings) =>
  Fsck.layer.pipe(Layer.provide([MetadataLayer.layer(places), BlobStoreLayer.layerUnlocked(places)]))

/** Prints every finding and a summary; fails when something is left wrong. */
export const run = (places: BlobStoreLayer.StoreSettings, repair: boolean) =>
  Effect.gen(function* () {
    const { check } = yield* Fsck.Fsck
    const { blobs, findings, rows } = yield* check({ repair })
    yield* Effect.forEach(findings, (finding) => Output.writeLine(explain(finding)), { discard: true })
    const left = findings.filter(({ isRepaired }) => !isRepaired)
    yield* Output.writeLine(`${rows} records, ${blobs} contents: ${findings.length} findings, ${left.length} left.`)
    if (left.length === 0) return
    const lost = left.filter(({ kind }) => kind === "Missing" || kind === "WrongSize").length
    return yield* new Inconsistent({ count: left.length, lost })
  }).pipe(Effect.provide(services(places)))
