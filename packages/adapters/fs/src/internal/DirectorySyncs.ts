/**
 * Makes the names in directories durable. Callers that wait for the same directory share a sync: uploads at the same time mostly have
 * the same directory.
 */
import type * as Effect from "effect/Effect"
import * as FsCall from "./FsCall.ts"

export interface DirectorySyncs {
  /** Makes the names durable that the directory has now. */
  readonly sync: (path: string) => Effect.Effect<void, FsCall.ErrnoError>
}

type Waiters = ReadonlyArray<FsCall.Done>

const resumeAll = (waiters: Waiters, error: NodeJS.ErrnoException | null): void => {
  for (const done of waiters) done(error)
}

export const make = (): DirectorySyncs => {
  /** For each directory that is being synced, those who wait for the next sync: the running one may not include their names. */
  const waiting = new Map<string, Array<FsCall.Done>>()

  const start = (path: string, waiters: Waiters): void => {
    waiting.set(path, [])
    const finish: FsCall.Done = (error) => {
      const next = waiting.get(path) ?? []
      if (error === null && next.length > 0) start(path, next)
      else waiting.delete(path)
      resumeAll(waiters, error)
      // After a failed sync the next one would succeed without what the failed one has lost.
      if (error !== null) resumeAll(next, error)
    }
    FsCall.syncDirectory(path, finish)
  }

  return {
    sync: (path) =>
      FsCall.call<void>((done) => {
        const next = waiting.get(path)
        if (next === undefined) start(path, [(error) => done(error)])
        else next.push((error) => done(error))
      })
  }
}
