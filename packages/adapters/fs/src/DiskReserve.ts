/**
 * The free space of a file system that contents and conversions may not use. What frees space needs some itself: the database
 * grows before it shrinks, and so does its log.
 */
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as FsCall from "./internal/FsCall.ts"

/** The free space of a file system. */
export interface DiskSpace {
  /** Bytes that an unprivileged process may write. */
  readonly free: number
  /** The bytes of them that are reserved. */
  readonly reserve: number
  /** Whether files can be created. Some file systems report no inodes at all: 0 free of 0 is not a shortage. */
  readonly hasInodes: boolean
}

export interface DiskReserve {
  /** Reads the free space. */
  readonly read: Effect.Effect<DiskSpace, FsCall.ErrnoError>
  /** The same, without waiting; undefined when it cannot be read. For metrics. */
  readonly readSync: () => DiskSpace | undefined
  /**
   * Takes bytes that are about to be written from the space above the reserve, which is read at most once per second while it
   * suffices. Fails with `ENOSPC`.
   */
  readonly claim: (bytes: number) => Effect.Effect<void, FsCall.ErrnoError>
  /** Fails as `claim` does, but takes nothing. */
  readonly admit: (bytes: number) => Effect.Effect<void, FsCall.ErrnoError>
  /**
   * Returns `claim` for one writer that keeps at most `bufferBytes` in memory: until `close`, what it may not have written yet is
   * not taken for free space when the free space is read again.
   */
  readonly writer: (bufferBytes: number) => ReserveWriter
  /** Reads the free space. Fails with `ENOSPC` when only the reserve or no inodes are free. */
  readonly check: Effect.Effect<void, FsCall.ErrnoError>
}

/** A writer of one file. */
export interface ReserveWriter {
  readonly claim: (bytes: number) => Effect.Effect<void, FsCall.ErrnoError>
  /** Call it once, when the file is complete or removed. */
  readonly close: () => void
}

/** The reserve where none is configured: this share of the file system, and at most this many bytes. */
const defaultShare = 0.02
const defaultLimit = 512 * 1024 * 1024

/** Bytes of a file beside its content: the unused rest of its last block, its inode, and its share of the directory. */
const fileOverhead = 8 * 1024

/** Milliseconds for which the free space that was read is used. */
const validity = 1000

const noSpace = (): FsCall.ErrnoError =>
  FsCall.errno(Object.assign(new Error("ENOSPC: the rest of the disk is reserved"), { code: "ENOSPC" }))

/**
 * Returns the reserve of the file system that has this path.
 *
 * @param bytes The reserve; 2 % of the file system and at most 512 MiB when undefined.
 */
export const make = (path: string, bytes: number | undefined): DiskReserve => {
  let available = 0
  /** Bytes that writers have claimed and may still have in memory. */
  let buffered = 0
  let readAt = Number.NEGATIVE_INFINITY

  const accept = ({ bavail, blocks, bsize, ffree, files }: Fs.StatsFs): DiskSpace => {
    const free = bavail * bsize
    const reserve = bytes ?? Math.min(defaultLimit, Math.floor(blocks * bsize * defaultShare))
    available = free - reserve - buffered
    readAt = performance.now()
    return { free, reserve, hasInodes: files === 0 || ffree > 0 }
  }

  const read = Effect.map(
    FsCall.call<Fs.StatsFs>((done) => Fs.statfs(path, done)),
    accept
  )

  const readSync = (): DiskSpace | undefined => {
    try {
      return accept(Fs.statfsSync(path))
    } catch {
      return undefined
    }
  }

  const take = (bytes: number): boolean => {
    if (bytes > available) return false
    available -= bytes
    return true
  }

  const claim = (bytes: number): Effect.Effect<void, FsCall.ErrnoError> =>
    Effect.suspend(() =>
      performance.now() - readAt < validity && take(bytes)
        ? Effect.void
        : Effect.flatMap(read, () => (take(bytes) ? Effect.void : Effect.fail(noSpace())))
    )

  const admit = (bytes: number): Effect.Effect<void, FsCall.ErrnoError> =>
    Effect.map(claim(bytes), () => {
      available += bytes
    })

  const writer = (bufferBytes: number): ReserveWriter => {
    let own = 0
    let overhead = fileOverhead
    const hold = (bytes: number) => {
      const added = Math.min(bytes, bufferBytes - own)
      own += added
      buffered += added
    }
    return {
      claim: (bytes) =>
        Effect.map(claim(bytes + overhead), () => {
          overhead = 0
          hold(bytes)
        }),
      close: () => {
        buffered -= own
      }
    }
  }

  const check = Effect.flatMap(read, ({ free, hasInodes, reserve }) =>
    free < reserve || !hasInodes ? Effect.fail(noSpace()) : Effect.void
  )

  return { read, readSync, claim, admit, writer, check }
}
