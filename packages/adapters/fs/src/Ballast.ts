/**
 * Files whose only purpose is to be removed when the disk is full, so that a database on the same disk can delete and revoke even
 * when other programs have used the reserve. There are several, because another program may use what the first one freed.
 */
import * as Effect from "effect/Effect"
import { randomFillSync } from "node:crypto"
import * as Fs from "node:fs"
import type * as DiskReserve from "./DiskReserve.ts"
import * as Durable from "./internal/Durable.ts"
import * as FsCall from "./internal/FsCall.ts"
import * as WriteAll from "./internal/WriteAll.ts"

export interface Ballast {
  /** Removes one of the files. Returns whether there was one. */
  readonly release: Effect.Effect<boolean, FsCall.ErrnoError>
  /** Creates the files that are missing, as long as there is room for them beside the reserve. */
  readonly restore: Effect.Effect<void, FsCall.ErrnoError>
}

/** How many files there are. */
const count = 4

/** The most bytes of a file: SQLite's log grows to 4 MiB before it is used again from its start. */
const maxBytes = 4 * 1024 * 1024

/** Bytes per write. */
const chunkBytes = 256 * 1024

const exists = (path: string) =>
  Effect.map(
    FsCall.ignoreCode("ENOENT")(FsCall.call<Fs.Stats>((done) => Fs.stat(path, done))),
    (stats) => stats !== undefined
  )

/** Writes bytes that a file system cannot compress, so that the file really takes the space. */
const write = (path: string, bytes: number) =>
  Effect.acquireUseRelease(
    FsCall.call<number>((done) => Fs.open(path, "w", Durable.fileMode, done)),
    (descriptor) =>
      Effect.gen(function* () {
        const chunk = randomFillSync(new Uint8Array(chunkBytes))
        for (let left = bytes; left > 0; left -= chunkBytes) {
          const next = chunk.subarray(0, left)
          yield* FsCall.call<void>((done) =>
            WriteAll.writeAll(WriteAll.kernel, descriptor, [next], next.length, (error) => done(error))
          )
        }
        yield* FsCall.call<void>((done) => Fs.fsync(descriptor, (error) => done(error, undefined)))
      }),
    (descriptor) => FsCall.call<void>((done) => Fs.close(descriptor, (error) => done(error ?? null, undefined)))
  )

/**
 * The ballast in a directory, in files with this prefix. Each file has an eighth of the size of the reserve, and at most 4 MiB.
 */
export const make = (prefix: string, reserve: DiskReserve.DiskReserve): Ballast => {
  const unfinished = `${prefix}.new`
  const paths = Array.from({ length: count }, (_, index) => `${prefix}.${index}`)

  const create = (path: string) =>
    Effect.gen(function* () {
      const space = yield* reserve.read
      const bytes = Math.min(maxBytes, Math.floor(space.reserve / 2 / count))
      if (bytes === 0 || space.free - space.reserve < bytes) return
      yield* write(unfinished, bytes)
      yield* FsCall.call<void>((done) => Fs.rename(unfinished, path, (error) => done(error, undefined)))
    }).pipe(Effect.onError(() => FsCall.ignoreFailure(FsCall.unlink(unfinished))))

  const release = Effect.gen(function* () {
    for (const path of paths) {
      const removed = yield* FsCall.ignoreCode("ENOENT")(
        Effect.as(
          FsCall.call<void>((done) => Fs.unlink(path, (error) => done(error, undefined))),
          true
        )
      )
      if (removed === true) return true
    }
    return false
  })

  return {
    release,
    restore: Effect.forEach(
      paths,
      (path) => Effect.flatMap(exists(path), (isThere) => (isThere ? Effect.void : create(path))),
      { discard: true }
    )
  }
}
