/**
 * The targets of mirrors that the service reaches. The SDK of a cloud is loaded when the first mirror needs it.
 */
import { MirrorTargets, type Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Config } from "../config/Config.ts"

const lazily = <Location>(load: () => Promise<Open<Location>>): Open<Location> => {
  let loading: Promise<Open<Location>> | undefined
  return (location) =>
    Effect.flatMap(
      Effect.promise(() => (loading ??= load())),
      (open) => open(location)
    )
}

/** Targets on private addresses are refused, unless the settings allow them: who sets up mirrors names the address. */
export const layer = ({
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
