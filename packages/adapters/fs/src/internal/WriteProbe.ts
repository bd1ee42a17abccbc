/**
 * Checks whether the store can accept a write now.
 */
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as FsCall from "./FsCall.ts"
import * as FsErrors from "../FsErrors.ts"
import type * as Layout from "../Layout.ts"

/**
 * Checks the access rights and the free space, without writing, so that a probe every second does not load a busy disk.
 * Fails with `StorageFull` when fewer than `reserveBytes` bytes or no inodes are free.
 */
export const check = (layout: Layout.Layout, reserveBytes: number): Effect.Effect<void, BlobError.BlobError> =>
  FsCall.call<void>((done) => Fs.access(layout.tmp, Fs.constants.W_OK | Fs.constants.X_OK, done)).pipe(
    Effect.andThen(FsCall.call<Fs.StatsFs>((done) => Fs.statfs(layout.tmp, done))),
    Effect.mapError(FsErrors.fromErrnoOfStore("check")),
    Effect.flatMap((stats) => {
      // Some file systems report no inodes at all: 0 free of 0 is not a shortage.
      const full = stats.bavail * stats.bsize < reserveBytes || (stats.files > 0 && stats.ffree === 0)
      return full ? Effect.fail(new BlobError.BlobError({ reason: "StorageFull", operation: "check" })) : Effect.void
    })
  )
