/**
 * `holdfast scrub`: reads all contents and compares them with their records, without a service.
 */
import * as StoreIdentity from "@holdfast/core/deployment/StoreIdentity"
import * as Holdfast from "@holdfast/core/Holdfast"
import type { CheckedBlob } from "@holdfast/core/integrity/Damage"
import * as Repairs from "@holdfast/core/integrity/Repairs"
import * as Scrubber from "@holdfast/core/integrity/Scrubber"
import * as MirrorCopies from "@holdfast/core/mirrors/worker/MirrorCopies"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import type { DamageKind } from "@holdfast/core/storage/DamageKind"
import * as Transcoder from "@holdfast/core/transcoding/Transcoder"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as BlobStoreLayer from "../../server/compose/BlobStoreLayer.ts"
import * as CoreLayer from "../../server/compose/CoreLayer.ts"
import * as IntegrityLayer from "../../server/compose/IntegrityLayer.ts"
import * as MetadataLayer from "../../server/compose/MetadataLayer.ts"
import * as MirrorLayer from "../../server/compose/MirrorLayer.ts"
import * as SecretKey from "../../server/compose/SecretKey.ts"
import type { Config } from "../../server/config/Config.ts"
import * as Output from "../terminal/Output.ts"
import { formatBytes } from "../terminal/Progress.ts"
import * as Fsck from "./Fsck.ts"

export interface Options {
  readonly repair: boolean
  readonly restart: boolean
  readonly bytesPerSecond: number | undefined
}

/** Contents are damaged, or could not be read, or another process runs the scrub. */
export class ScrubFault extends Data.TaggedError("ScrubFault")<{ readonly message: string }> {}

/** The services; the copies of mirrors with `repair` only, because they need the secret key. */
const services = (settings: Config, repair: boolean) => {
  const stores = Layer.effectDiscard(StoreIdentity.compare).pipe(
    Layer.provideMerge(
      Layer.mergeAll(MetadataLayer.layer(settings), BlobStoreLayer.layerUnlocked(settings), CoreLayer.layerCrypto)
    )
  )
  if (!repair) return IntegrityLayer.services.pipe(Layer.provide(stores))
  const ports = Layer.mergeAll(
    MirrorLayer.layerTargets(settings),
    SecretKey.layerSecretBox(settings).pipe(Layer.provide(CoreLayer.layerCrypto)),
    Transcoder.layerNone
  )
  return IntegrityLayer.services.pipe(
    Layer.provide(MirrorCopies.layer),
    Layer.provide(Holdfast.layer),
    Layer.provide(ports),
    Layer.provide(stores)
  )
}

/** Prints every damaged content and a summary. Fails if one is not repaired. */
export const run = (settings: Config, { repair, ...options }: Options) =>
  Effect.gen(function* () {
    const { scrub } = yield* Scrubber.Scrubber
    const repairs = yield* Repairs.Repairs
    let repaired = 0

    const onDamage = Effect.fnUntraced(function* (blob: CheckedBlob, kind: DamageKind) {
      const isRepaired = repair && (yield* Effect.orElseSucceed(repairs.repair(blob), () => false))
      if (isRepaired) repaired++
      yield* Output.writeLine(Fsck.describe({ kind, key: BlobKey.make(blob), fileId: blob.fileId, isRepaired }))
    })

    const report = yield* scrub({ ...options, name: "command", period: 0, share: 1, onDamage })
    if (Option.isNone(report)) {
      return yield* new ScrubFault({
        message: "Another `holdfast scrub` is running, or was killed less than 90 seconds ago."
      })
    }
    const { blobs, bytes, damaged, unreadable } = report.value
    yield* Output.writeLine(
      `${blobs} contents, ${formatBytes(bytes)}: ${damaged} damaged, ${repaired} repaired, ${unreadable} could not be read.`
    )
    if (damaged > repaired) {
      const remedy = repair
        ? "No mirror has a good copy: restore them with `holdfast restore --only-damaged`."
        : "Repair them from mirrors with `holdfast scrub --repair`, or restore them with `holdfast restore --only-damaged`."
      return yield* new ScrubFault({
        message: `${damaged - repaired} contents are damaged. ${remedy}`
      })
    }
    if (unreadable > 0) {
      return yield* new ScrubFault({ message: `${unreadable} contents could not be read. The log has the reasons.` })
    }
  }).pipe(Effect.provide(services(settings, repair)))
