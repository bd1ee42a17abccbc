/**
 * The store that a configuration keeps contents in. Only the one that is used is loaded.
 */
import type { BlobError } from "@holdfast/core/storage/BlobError"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import type { DirectoryLockError } from "@holdfast/fs/DirectoryLock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as BlobLocation from "./BlobLocation.ts"
import type * as ConfigBlobs from "../config/ConfigBlobs.ts"
import * as Metadata from "./Metadata.ts"
import * as UnlockedBlobs from "./UnlockedBlobs.ts"

/** The settings that say where it is. */
export type Places = Metadata.Places & ConfigBlobs.Values

/** Whether any number of processes may use the store at once. */
const isShared = ({ blobs }: ConfigBlobs.Values): boolean => blobs !== "fs"

/** Whether a process keeps nothing on its own disk that it would need again: neither metadata nor contents. */
export const isStateless = (places: Places): boolean => isShared(places) && !Metadata.isEmbedded(places)

/** The configuration has been found to name a place. */
const placeOf = (places: Places): BlobLocation.BlobPlace => Result.getOrThrow(BlobLocation.of(places))

type Shared = Layer.Layer<BlobStore, BlobError>

const shared = (place: Exclude<BlobLocation.BlobPlace, { readonly store: "fs" }>): Shared =>
  Layer.unwrap(
    Effect.promise(async (): Promise<Shared> => {
      switch (place.store) {
        case "s3":
          return (await import("@holdfast/s3/S3BlobStore")).layer(place.options)
        case "azure":
          return (await import("@holdfast/azure/AzureBlobStore")).layer(place.options)
        case "gcs":
          return (await import("@holdfast/gcs/GcsBlobStore")).layer(place.options)
      }
    })
  )

type Locked = Layer.Layer<BlobStore, BlobError | DirectoryLockError>

/**
 * The store of a service. Where contents or metadata are in the data directory it is locked, and nobody else has them;
 * otherwise there need be none.
 */
export const layer = (places: Places): Locked => {
  const { dataDir: directory } = places
  const place = placeOf(places)
  if (place.store === "fs") {
    return Layer.unwrap(
      Effect.promise(async (): Promise<Locked> => (await import("@holdfast/fs/FsBlobStore")).layer({ directory }))
    )
  }
  if (!Metadata.isEmbedded(places)) return shared(place)
  const lock = Effect.flatMap(
    Effect.promise(() => import("@holdfast/fs/DirectoryLock")),
    ({ acquire }) => acquire(directory)
  )
  return Layer.provideMerge(shared(place), Layer.effectDiscard(lock))
}

/** The store beside a running service, for the consistency check. */
export const unlocked = (places: Places): Layer.Layer<BlobStore, BlobError> => {
  const place = placeOf(places)
  return place.store === "fs" ? UnlockedBlobs.layer(places.dataDir) : shared(place)
}

/** How often uploads in parts that nobody will finish are looked for, and how old they are when they are given up. */
export interface Patience {
  readonly every: Duration.Input
  /** Longer than the longest upload takes. */
  readonly age: Duration.Input
}

const patience: Patience = { every: "1 hour", age: "7 days" }

/**
 * Gives up uploads in parts that nobody will finish, at the start and then at an interval, where the store has them: the
 * parts are on the bill, and no listing shows them.
 */
export const layerStaleUploads = (
  places: ConfigBlobs.Values,
  { age, every }: Patience = patience
): Layer.Layer<never> => {
  const place = Result.getOrThrow(BlobLocation.of(places))
  if (place.store !== "s3") return Layer.empty
  const sweep = Effect.flatMap(
    Effect.promise(() => import("@holdfast/s3/StaleUploads")),
    ({ sweep }) => sweep(place.options, age)
  )
  return Layer.effectDiscard(
    sweep.pipe(
      Effect.tap((count) =>
        count === 0 ? Effect.void : Effect.logInfo("Gave up uploads that nobody finished", count)
      ),
      Effect.catch((error) => Effect.logWarning("Stale uploads could not be swept", error)),
      Effect.andThen(Effect.sleep(every)),
      Effect.forever,
      Effect.forkScoped
    )
  )
}
