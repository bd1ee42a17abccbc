/**
 * Files that survive a crash of the machine: their bytes and their names are synced.
 */
import * as DirectoryOwner from "@holdfast/fs/DirectoryOwner"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { constants, createReadStream } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { pipeline } from "node:stream/promises"
import { BackupError } from "./BackupError.ts"

/** Only the user of the process can read and write the files. */
const fileMode = 0o600

/** Only the user of the process can list the directories. */
const directoryMode = 0o700

/** Runs a function of Node's file system. The message of a failure has the path and the name of the error. */
export const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, BackupError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new BackupError({ message: cause instanceof Error ? cause.message : String(cause), cause })
  })

const sync = async (path: string, flags: string | number): Promise<void> => {
  const handle = await Fs.open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Syncs a file. */
export const syncFile = (path: string): Effect.Effect<void, BackupError> => attempt(() => sync(path, "r+"))

/** Syncs the names in a directory. */
export const syncDirectory = (path: string): Effect.Effect<void, BackupError> =>
  attempt(() => sync(path, constants.O_RDONLY | constants.O_DIRECTORY))

/** Creates a file with a text. An existing file is replaced. */
export const write = (path: string, text: string): Effect.Effect<void, BackupError> =>
  Effect.andThen(
    attempt(() => Fs.writeFile(path, text, { mode: fileMode })),
    syncFile(path)
  )

/** Copies a file. An existing target is replaced. */
export const copy = (from: string, to: string): Effect.Effect<void, BackupError> =>
  attempt(async () => {
    await Fs.copyFile(from, to)
    await Fs.chmod(to, fileMode)
  }).pipe(Effect.andThen(syncFile(to)))

/** Gives a file to the owner of a data directory, when the process runs as root. */
export const giveToOwner = (dataDir: string, path: string): Effect.Effect<void, BackupError> =>
  Effect.andThen(
    attempt(async () => DirectoryOwner.make(dataDir).givePath(path)),
    syncFile(path)
  )

/** Renames a file or directory within one file system, durably. */
export const rename = (from: string, to: string): Effect.Effect<void, BackupError> =>
  Effect.andThen(
    attempt(() => Fs.rename(from, to)),
    syncDirectory(Path.dirname(to))
  )

/** Creates a directory and its missing parents, for the user of the process only. */
export const makeDirectory = (path: string): Effect.Effect<void, BackupError> =>
  attempt(() => Fs.mkdir(path, { recursive: true, mode: directoryMode })).pipe(
    Effect.andThen(syncDirectory(Path.dirname(path)))
  )

/** A directory for files that are needed until the scope closes. */
export const temporaryDirectory: Effect.Effect<string, BackupError, Scope.Scope> = Effect.acquireRelease(
  attempt(() => Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-"))),
  (path) => Effect.ignore(remove(path))
)

/** Removes a file or directory with all that it has. Succeeds when it does not exist. */
export const remove = (path: string): Effect.Effect<void, BackupError> =>
  attempt(() => Fs.rm(path, { recursive: true, force: true }))

/** Returns the names in a directory; none when it does not exist. */
export const names = (path: string): Effect.Effect<ReadonlyArray<string>, BackupError> =>
  attempt(() =>
    Fs.readdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return []
      throw error
    })
  )

/** Returns whether there is a file or directory. */
export const exists = (path: string): Effect.Effect<boolean, BackupError> =>
  attempt(() =>
    Fs.stat(path).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return false
        throw error
      }
    )
  )

/** Returns the size and the SHA-256 (hexadecimal) of a file. */
export const digest = (path: string): Effect.Effect<{ readonly size: number; readonly sha256: string }, BackupError> =>
  attempt(async () => {
    const hash = createHash("sha256")
    let size = 0
    await pipeline(createReadStream(path), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        hash.update(chunk)
        size += chunk.length
      }
    })
    return { size, sha256: hash.digest("hex") }
  })
