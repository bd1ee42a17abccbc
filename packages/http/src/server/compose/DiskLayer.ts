/**
 * What protects the disk of the data directory: the reserve, and the ballast of the SQLite database.
 */
import { MetadataError } from "@holdfast/core/MetadataError"
import * as PortProxy from "@holdfast/core/metrics/PortProxy"
import { StoreTime } from "@holdfast/core/StoreTime"
import { StorageRoom } from "@holdfast/core/StorageRoom"
import * as Ballast from "@holdfast/fs/Ballast"
import * as DiskReserve from "@holdfast/fs/DiskReserve"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Path from "node:path"
import type { Config } from "../config/Config.ts"
import * as ObservableMetrics from "../../operator/ObservableMetrics.ts"

export type DiskSettings = Pick<Config, "dataDir" | "diskReserve">

/** The beginning of the names of the ballast's files in the data directory. */
const ballastFile = "holdfast.ballast"

/** The free space that a new record needs: its pages, and their copies in the log. */
const recordBytes = 64 * 1024

/** When the ballast is created after a start, so that the start does not wait for the disk. */
const restoreDelay = "2 seconds"

/** How often the ballast is restored where it was released. */
const restoreInterval = "10 seconds"

/** At the start the ballast is released when fewer bytes are free: SQLite creates its log, and migrations need space. */
const startBytes = 4 * 1024 * 1024

const reserveOf = ({ dataDir, diskReserve }: DiskSettings) => DiskReserve.make(dataDir, diskReserve)

const ballastOf = (settings: DiskSettings) =>
  Ballast.make(Path.join(settings.dataDir, ballastFile), reserveOf(settings))

/** Refuses contents on the disk, and records of a database on the disk, when only the reserve is left. */
export const layerRoom = (
  settings: DiskSettings & { readonly hasContents: boolean; readonly hasDatabase: boolean }
): Layer.Layer<never> =>
  Layer.effect(
    StorageRoom,
    Effect.sync(() => {
      const reserve = reserveOf(settings)
      const admit = (bytes: number) =>
        Effect.catch(reserve.admit(bytes), ({ cause, code }) =>
          // Other failures are those of the store, which reports them itself.
          code === "ENOSPC"
            ? Effect.fail(new MetadataError({ reason: "StorageFull", operation: "storageRoom", cause }))
            : Effect.void
        )
      return {
        forContent: settings.hasContents ? admit : () => Effect.void,
        forRecord: settings.hasDatabase ? admit(recordBytes) : Effect.void
      }
    })
  )

/** Restores the ballast, soon and whenever there is room for it again. */
export const layerBallast = (settings: DiskSettings): Layer.Layer<never> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { restore } = ballastOf(settings)
      yield* restore.pipe(
        Effect.catch(({ code }) => Effect.logWarning("ballast not restored").pipe(Effect.annotateLogs({ code }))),
        Effect.repeat(Schedule.spaced(restoreInterval)),
        Effect.delay(restoreDelay),
        Effect.forkScoped
      )
    })
  )

const isFull = (error: unknown): boolean => error instanceof MetadataError && error.reason === "StorageFull"

/** Returns the service; each of its effects that fails because the disk is full runs again after each release. */
const retrying = <S extends object>(service: S, release: Effect.Effect<boolean>): S => {
  const retryEffect = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchIf(effect, isFull, (error) =>
      Effect.flatMap(release, (released) => (released ? retryEffect(effect) : Effect.fail(error)))
    )
  return PortProxy.make(service, (result) => (Effect.isEffect(result) ? retryEffect(result) : result))
}

/** The repositories of core are those services whose keys begin so. The SQL client and the time of the store are none. */
const isRepository = (key: string): boolean => key.startsWith("@holdfast/core/") && key !== StoreTime.key

/**
 * Returns the repositories of a database in the data directory, which release the ballast when the disk is full. Releases it before
 * they are opened, when the disk is nearly full then.
 */
export const layerProtected = <A, E>(repositories: Layer.Layer<A, E>, settings: DiskSettings): Layer.Layer<A, E> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const ballast = ballastOf(settings)
      const release = Effect.tap(ballast.release, (released) =>
        released ? Effect.logWarning("disk full; ballast of the database released") : Effect.void
      ).pipe(Effect.orElseSucceed(() => false))
      const reserve = reserveOf(settings)
      const isNearlyFull = () => (reserve.readSync()?.free ?? startBytes) < startBytes
      while (isNearlyFull() && (yield* release)) continue
      const context = yield* Layer.build(repositories)
      const services = Array.from(context.mapUnsafe, ([key, service]): [string, unknown] => [
        key,
        isRepository(key) && typeof service === "object" && service !== null ? retrying(service, release) : service
      ])
      return Context.makeUnsafe<A>(new Map(services))
    })
  )

/** Gauges of the free space and the reserve. */
export const layerMetrics = (settings: DiskSettings): Layer.Layer<never> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const reserve = reserveOf(settings)
      const gauge = (name: string, description: string, value: "free" | "reserve") => ({
        name,
        description,
        kind: "gauge" as const,
        read: () => reserve.readSync()?.[value] ?? Number.NaN
      })
      yield* ObservableMetrics.registerAll([
        gauge("holdfast_disk_free_bytes", "Free space of the data directory's disk.", "free"),
        gauge("holdfast_disk_reserve_bytes", "Free space that contents and new records may not use.", "reserve")
      ])
    })
  )
