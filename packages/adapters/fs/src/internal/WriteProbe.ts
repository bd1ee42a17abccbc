/**
 * Checks whether the store can accept a write now.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import type * as DiskReserve from "../DiskReserve.ts"
import * as Durable from "./Durable.ts"
import * as FsCall from "./FsCall.ts"
import * as FsErrors from "../FsErrors.ts"
import type * as Layout from "../Layout.ts"

export interface WriteProbe {
  /**
   * Checks the access rights and the free space, and whether a file can be synced. Fails with `StorageFull` when only the reserve or
   * no inodes are free.
   */
  readonly check: Effect.Effect<void, BlobError.BlobError>
  /** Makes the next check sync a file: an upload or a read has failed. */
  readonly expire: Effect.Effect<void>
}

/** Milliseconds for which a successful sync counts, so that a check every second does not load a busy disk. */
const validity = 10_000

/** The name is none of an upload. */
const name = "probe"

/** Uninterruptible: an interruption between the calls would leave the descriptor open. */
const syncFile = (path: string): Effect.Effect<void, FsCall.ErrnoError> =>
  FsCall.call<number>((done) => Fs.open(path, "w", Durable.fileMode, done)).pipe(
    Effect.flatMap((descriptor) =>
      FsCall.call<void>((done) => {
        Fs.write(descriptor, "x", (error) => {
          if (error === null) return FsCall.syncAndClose(descriptor, done)
          Fs.close(descriptor, () => done(error))
        })
      })
    ),
    Effect.uninterruptible
  )

export const make = (layout: Layout.Layout, reserve: DiskReserve.DiskReserve): WriteProbe => {
  const path = `${layout.tmp}/${name}`
  let syncedAt = Number.NEGATIVE_INFINITY
  const sync = Effect.suspend(() =>
    performance.now() - syncedAt < validity
      ? Effect.void
      : syncFile(path).pipe(
          Effect.ensuring(
            FsCall.ignoreCode("ENOENT")(FsCall.call<void>((done) => Fs.unlink(path, done))).pipe(Effect.ignore)
          ),
          Effect.map(() => void (syncedAt = performance.now()))
        )
  )
  return {
    check: FsCall.call<void>((done) => Fs.access(layout.tmp, Fs.constants.W_OK | Fs.constants.X_OK, done)).pipe(
      Effect.andThen(reserve.check),
      Effect.andThen(sync),
      Effect.mapError(FsErrors.fromErrnoOfStore("check"))
    ),
    expire: Effect.sync(() => void (syncedAt = Number.NEGATIVE_INFINITY))
  }
}
