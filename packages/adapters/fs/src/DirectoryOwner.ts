/**
 * Gives files that root creates in a data directory to the owner of the directory. An administrator runs a restore or a repair as
 * root beside a service that runs as another user, which could not read these files.
 *
 * The owner can replace names in the directory by links to files of others. Therefore the descriptor of a file is given where there is one.
 */
import * as Fs from "node:fs"

export interface DirectoryOwner {
  /** Gives a file to the owner, unless root owns the data directory or the process does not run as root. The process has created the file. */
  readonly give: (descriptor: number) => void
  /** The same for a file or directory that has been closed: the process has just created it, and no link may be in its place. */
  readonly givePath: (path: string) => void
}

/**
 * Root in a container may lack the right to change owners, its user namespace may not have the owner, and some file systems have no
 * owners. The files stay those of root then.
 */
const refusals: ReadonlySet<unknown> = new Set(["EPERM", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

const isRefused = (error: unknown): boolean => error instanceof Error && "code" in error && refusals.has(error.code)

const unchanged: DirectoryOwner = { give: () => undefined, givePath: () => undefined }

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = Fs.constants

/** `directory` is the data directory. It must exist when a method is first called. */
export const make = (directory: string): DirectoryOwner => {
  if (process.geteuid?.() !== 0) return unchanged
  let found: Fs.Stats | undefined
  const find = () => (found ??= Fs.statSync(directory))

  const give = (descriptor: number): void => {
    const { gid, uid } = find()
    if (uid === 0) return
    try {
      Fs.fchownSync(descriptor, uid, gid)
    } catch (error) {
      if (!isRefused(error)) throw error
    }
  }

  const givePath = (path: string): void => {
    if (find().uid === 0) return
    const descriptor = Fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const stat = Fs.fstatSync(descriptor)
      // A file with two names is a hard link to one of another directory.
      if (stat.uid === 0 && (stat.isDirectory() || (stat.isFile() && stat.nlink === 1))) give(descriptor)
    } finally {
      Fs.closeSync(descriptor)
    }
  }

  return { give, givePath }
}
