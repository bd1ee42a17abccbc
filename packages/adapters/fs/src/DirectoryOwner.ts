/**
 * Gives files that root creates in a data directory to the owner of the directory. An administrator runs a restore or a repair as
 * root beside a service that runs as another user, which could not read these files.
 */
import * as Fs from "node:fs"

export interface DirectoryOwner {
  /** Gives a file or directory to the owner, unless root owns the data directory or the process does not run as root. */
  readonly give: (path: string) => void
}

/** Root in a container may lack the right to change owners. Its files stay its own then. */
const isRefused = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "EPERM"

const unchanged: DirectoryOwner = { give: () => undefined }

/** `directory` is the data directory. It must exist when `give` is first called. */
export const make = (directory: string): DirectoryOwner => {
  if (process.geteuid?.() !== 0) return unchanged
  let owner: { readonly uid: number; readonly gid: number } | undefined
  return {
    give: (path) => {
      owner ??= Fs.statSync(directory)
      if (owner.uid === 0) return
      try {
        Fs.lchownSync(path, owner.uid, owner.gid)
      } catch (error) {
        if (!isRefused(error)) throw error
      }
    }
  }
}
