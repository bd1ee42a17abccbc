/**
 * Makes the names in directories durable. Callers that wait for the same directory share a sync: uploads at the same time mostly have
 * the same directory.
 *
 * A sync waits for the small uploads that had begun when it was requested, so that it serves them too: each of them syncs its own file
 * meanwhile, which takes about as long as the others do.
 */
import type * as Effect from "effect/Effect"
import * as FsCall from "./FsCall.ts"

export interface DirectorySyncs {
  /**
   * Makes the names durable that the directory has now.
   *
   * @param arrived Ends the announcement of the upload that has its name now.
   */
  readonly sync: (path: string, arrived?: () => void) => Effect.Effect<void, FsCall.ErrnoError>
  /**
   * Announces a small upload, which will have its name in the directory soon. Returns a function that ends the announcement, for `sync`
   * or for an upload that has failed; further calls do nothing.
   */
  readonly announce: (path: string) => () => void
}

interface Directory {
  /** Who waits for the next sync: the running one may not include their names. */
  waiting: Array<FsCall.Done>
  isSyncing: boolean
  /** Announced uploads that have no name yet. */
  readonly announced: Set<object>
  /** Those of them for which the next sync waits. */
  awaited: Set<object>
}

const resumeAll = (waiters: ReadonlyArray<FsCall.Done>, error: NodeJS.ErrnoException | null): void => {
  for (const done of waiters) done(error)
}

export const make = (): DirectorySyncs => {
  const directories = new Map<string, Directory>()

  const of = (path: string): Directory => {
    const found = directories.get(path)
    if (found !== undefined) return found
    const added = { waiting: [], isSyncing: false, announced: new Set<object>(), awaited: new Set<object>() }
    directories.set(path, added)
    return added
  }

  const startIfDue = (path: string, directory: Directory): void => {
    const { announced, awaited, isSyncing, waiting } = directory
    if (isSyncing) return
    if (waiting.length === 0) {
      if (announced.size === 0) directories.delete(path)
      return
    }
    if (awaited.size > 0) return
    directory.isSyncing = true
    directory.waiting = []
    FsCall.syncDirectory(path, (error) => {
      directory.isSyncing = false
      // After a failed sync the next one would succeed without what the failed one has lost.
      const failed = error === null ? [] : directory.waiting
      if (error !== null) directory.waiting = []
      startIfDue(path, directory)
      resumeAll(waiting, error)
      resumeAll(failed, error)
    })
  }

  return {
    announce: (path) => {
      const directory = of(path)
      const upload = {}
      directory.announced.add(upload)
      return () => {
        if (!directory.announced.delete(upload)) return
        directory.awaited.delete(upload)
        startIfDue(path, directory)
      }
    },
    sync: (path, arrived) =>
      FsCall.call<void>((done) => {
        const directory = of(path)
        if (directory.waiting.length === 0) directory.awaited = new Set(directory.announced)
        directory.waiting.push((error) => done(error))
        // Ends last, because it may start the sync, which must serve this caller too.
        arrived?.()
        startIfDue(path, directory)
      })
  }
}
