/**
 * Whether the store can take a write now.
 */
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as FsCall from "./FsCall.ts"
import * as FsErrors from "./FsErrors.ts"
import type * as Layout from "./Layout.ts"

/**
 * Asks for the right to write and for free space, without writing: a probe that comes every second should cost a busy
 * disk nothing. `StorageFull` below `reserveBytes`, or when no file can be made.
 */
export const check = (layout: Layout.Layout, reserveBytes: number): Effect.Effect<void, BlobError.BlobError> =>
  FsCall.call<void>((done) => Fs.access(layout.tmp, Fs.constants.W_OK | Fs.constants.X_OK, done)).pipe(
    Effect.andThen(FsCall.call<Fs.StatsFs>((done) => Fs.statfs(layout.tmp, done))),
    Effect.mapError(FsErrors.fromErrnoOfStore("check")),
    Effect.flatMap((stats) => {
      // Some file systems count no inodes at all: zero of zero is not a shortage.
      const full = stats.bavail * stats.bsize < reserveBytes || (stats.files > 0 && stats.ffree === 0)
      return full ? Effect.fail(new BlobError.BlobError({ reason: "StorageFull", operation: "check" })) : Effect.void
    })
  )
