/**
 * Checks whether the store can accept a write now.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import type * as DiskReserve from "../DiskReserve.ts"
import * as FsCall from "./FsCall.ts"
import * as FsErrors from "../FsErrors.ts"
import type * as Layout from "../Layout.ts"

/**
 * Checks the access rights and the free space, without writing, so that a probe every second does not load a busy disk.
 * Fails with `StorageFull` when only the reserve or no inodes are free.
 */
export const check = (
  layout: Layout.Layout,
  reserve: DiskReserve.DiskReserve
): Effect.Effect<void, BlobError.BlobError> =>
  FsCall.call<void>((done) => Fs.access(layout.tmp, Fs.constants.W_OK | Fs.constants.X_OK, done)).pipe(
    Effect.andThen(reserve.check),
    Effect.mapError(FsErrors.fromErrnoOfStore("check"))
  )
