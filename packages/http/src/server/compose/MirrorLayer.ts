/**
 * The layers of mirrors: the targets in other clouds and the worker of this node.
 */
import { MirrorTargets, type Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as MirrorWorker from "@holdfast/core/mirrors/worker/MirrorWorker"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { setImmediate as turn } from "node:timers/promises"
import type { Config } from "../config/Config.ts"
import * as OptionalPackage from "../config/OptionalPackage.ts"

/** Without its package, a target does not work until the operator installs it: mirrors wait, as for any target. */
const unavailable = ({ name }: OptionalPackage.PackageMissing): MirrorTargetError =>
  new MirrorTargetError({
    operation: "open",
    reason: "Unavailable",
    detail: `This deployment needs the package ${name} for mirrors of this type, and its operator has not installed it.`
  })

/**
 * Loads the package of a cloud when the first mirror needs it. Opening the target loads the cloud's SDK, in later turns of the
 * event loop: Node loads a package in one turn.
 */
const lazily = <Location>(name: string, load: () => Promise<Open<Location>>): Open<Location> => {
  let loading: Promise<Open<Location>> | undefined
  const loadInTurn = async () => {
    const open = await load()
    await turn()
    return open
  }
  return (...input) =>
    OptionalPackage.load(name, () => (loading ??= loadInTurn())).pipe(
      Effect.mapError(unavailable),
      Effect.flatMap((open) => open(...input))
    )
}

/**
 * The targets that this service can open. Private addresses are refused unless the settings allow them, because users
 * who create mirrors choose the address.
 */
export const layerTargets = ({
  mirrorsAllowPrivate: allowPrivate
}: Pick<Config, "mirrorsAllowPrivate">): Layer.Layer<MirrorTargets> =>
  Layer.succeed(
    MirrorTargets,
    MirrorTargets.of({
      open: {
        S3: lazily("@holdfast/s3", async () => (await import("@holdfast/s3/S3MirrorTarget")).open({ allowPrivate })),
        AZURE_BLOB: lazily("@holdfast/azure", async () =>
          (await import("@holdfast/azure/AzureMirrorTarget")).open({ allowPrivate })
        ),
        GCS: lazily("@holdfast/gcs", async () => (await import("@holdfast/gcs/GcsMirrorTarget")).open({ allowPrivate }))
      }
    })
  )

/** The worker of this node; none if the settings allow no concurrent copies. */
export const layerWorker = ({ mirrors: concurrency }: Pick<Config, "mirrors">) =>
  concurrency === 0 ? Layer.empty : MirrorWorker.layer({ concurrency })
