/**
 * `holdfast scrub`: reads all contents and compares them with their records, without a service.
 */
import * as Scrubber from "@holdfast/core/integrity/Scrubber"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as BlobStoreLayer from "../../server/compose/BlobStoreLayer.ts"
import * as CoreLayer from "../../server/compose/CoreLayer.ts"
import * as IntegrityLayer from "../../server/compose/IntegrityLayer.ts"
import * as MetadataLayer from "../../server/compose/MetadataLayer.ts"
import * as Output from "../terminal/Output.ts"
import { formatBytes } from "../terminal/Progress.ts"
import * as Fsck from "./Fsck.ts"

export interface Options {
  readonly restart: boolean
  readonly bytesPerSecond: number | undefined
}

/** Contents are damaged, or could not be read, or another process runs the scrub. */
export class ScrubFault extends Data.TaggedError("ScrubFault")<{ readonly message: string }> {}

const services = (settings: BlobStoreLayer.StoreSettings) =>
  IntegrityLayer.services.pipe(
    Layer.provide([MetadataLayer.layer(settings), BlobStoreLayer.layerUnlocked(settings), CoreLayer.layerCrypto])
  )

/** Prints every damaged content and a summary. Fails if there is one. */
export const run = (settings: BlobStoreLayer.StoreSettings, options: Options) =>
  Effect.gen(function* () {
    const { scrub } = yield* Scrubber.Scrubber
    const report = yield* scrub({
      ...options,
      name: "command",
      period: 0,
      share: 1,
      onDamage: (blob, kind) =>
        Output.writeLine(Fsck.describe({ kind, key: BlobKey.make(blob), fileId: blob.fileId, isRepaired: false }))
    })
    if (Option.isNone(report)) {
      return yield* new ScrubFault({
        message: "Another `holdfast scrub` is running, or was killed less than 90 seconds ago."
      })
    }
    const { blobs, bytes, damaged, unreadable } = report.value
    yield* Output.writeLine(
      `${blobs} contents, ${formatBytes(bytes)}: ${damaged} damaged, ${unreadable} could not be read.`
    )
    if (damaged > 0) {
      return yield* new ScrubFault({
        message: `${damaged} contents are damaged. Restore them with \`holdfast restore --only-damaged\`.`
      })
    }
    if (unreadable > 0) {
      return yield* new ScrubFault({ message: `${unreadable} contents could not be read. The log has the reasons.` })
    }
  }).pipe(Effect.provide(services(settings)))
