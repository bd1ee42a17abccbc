/**
 * The layers of mirrors: the targets in other clouds and the worker of this node.
 */
import { MirrorTargets, type Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as MirrorWorker from "@holdfast/core/mirrors/worker/MirrorWorker"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Config } from "../config/Config.ts"

/** Loads the package of a cloud when the first mirror needs it. */
const lazily = <Location>(load: () => Promise<Open<Location>>): Open<Location> => {
  let loading: Promise<Open<Location>> | undefined
  return (location) =>
    Effect.flatMap(
      Effect.promise(() => (loading ??= load())),
      (open) => open(location)
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
        S3: lazily(async () => (await import("@holdfast/s3/S3MirrorTarget")).open({ allowPrivate })),
        AZURE_BLOB: lazily(async () => (await import("@holdfast/azure/AzureMirrorTarget")).open({ allowPrivate })),
        GCS: lazily(async () => (await import("@holdfast/gcs/GcsMirrorTarget")).open({ allowPrivate }))
      }
    })
  )

/** The worker of this node; none if the settings allow no concurrent copies. */
export const layerWorker = ({ mirrors: concurrency }: Pick<Config, "mirrors">) =>
  concurrency === 0 ? Layer.empty : MirrorWorker.layer({ concurrency })
