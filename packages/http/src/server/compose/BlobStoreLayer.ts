/**
 * The layers of the configured blob store. Only the adapter that is used is loaded.
 */
import type { BlobError } from "@holdfast/core/storage/BlobError"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import type { DirectoryLockError } from "@holdfast/fs/DirectoryLock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as BlobStores from "../config/blobs/BlobStores.ts"
import type { ConfigError } from "../config/ConfigError.ts"
import type { WorkerProcess } from "../workers/WorkerProcess.ts"
import * as MetadataLayer from "./MetadataLayer.ts"

/** The settings of the metadata store and the blob store. */
export type StoreSettings = MetadataLayer.MetadataSettings & BlobStores.Values

/** Whether several processes may use the blob store at once. */
const isShared = ({ blobs }: BlobStores.Values): boolean => blobs !== "fs"

/** Whether a process keeps neither metadata nor contents on its own disk. */
export const isStateless = (settings: StoreSettings): boolean =>
  isShared(settings) && !MetadataLayer.isEmbedded(settings)

/** Returns the blob store of a configuration that `Config.load` has validated. */
export const configOf = (settings: BlobStores.Values): BlobStores.BlobStoreConfig =>
  Result.getOrThrow(BlobStores.resolve(settings))

type SharedLayer = Layer.Layer<BlobStore, BlobError | ConfigError>

const layerShared = (config: BlobStores.ObjectStoreConfig): SharedLayer => Layer.unwrap(BlobStores.load(config))

type LockedLayer = Layer.Layer<BlobStore, BlobError | ConfigError | DirectoryLockError>

/**
 * The lock of the data directory, so that no other service uses it. Empty if neither contents nor metadata are in the directory.
 */
export const layerLock = (settings: StoreSettings): Layer.Layer<never, DirectoryLockError> =>
  isStateless(settings)
    ? Layer.empty
    : Layer.effectDiscard(
        Effect.flatMap(
          Effect.promise(() => import("@holdfast/fs/DirectoryLock")),
          ({ acquire }) => acquire(settings.dataDir)
        )
      )

/**
 * The blob store of a running service. If contents or metadata are in the data directory, the layer locks the
 * directory, so that no other process uses them. Otherwise it uses no directory. A worker process leaves the lock to its supervisor.
 */
export const layer = (settings: StoreSettings, worker?: WorkerProcess): LockedLayer => {
  const { dataDir: directory, diskReserve: reserveBytes } = settings
  const config = configOf(settings)
  if (config.store === "fs") {
    return Layer.unwrap(
      Effect.promise(async (): Promise<LockedLayer> => {
        const FsBlobStore = await import("@holdfast/fs/FsBlobStore")
        if (worker === undefined) return FsBlobStore.layer({ directory, reserveBytes })
        const { isFirst, number } = worker
        return FsBlobStore.layerMember({ directory, reserveBytes, member: `w${number}`, isFirst })
      })
    )
  }
  return worker === undefined ? Layer.provideMerge(layerShared(config), layerLock(settings)) : layerShared(config)
}

/** The blob store without the lock, for checks, backups and repairs while a service runs. */
export const layerUnlocked = (settings: StoreSettings): SharedLayer => {
  const { dataDir: directory, diskReserve: reserveBytes } = settings
  const config = configOf(settings)
  return config.store === "fs"
    ? Layer.unwrap(
        Effect.promise(async () =>
          (await import("@holdfast/fs/FsBlobStore")).layerUnlocked({ directory, reserveBytes })
        )
      )
    : layerShared(config)
}
