/**
 * Copies commits from the write-ahead log into the database, on a thread of its own, and keeps the log small.
 *
 * SQLite would do so inside of a COMMIT, and block the thread that commits for several calls of fsync. It would also never begin
 * the log anew while one read follows the other.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type { FairPool } from "@holdfast/sql/FairPool"
import * as Thread from "../threads/Thread.ts"
import type { LogSync } from "./LogSync.ts"

/** Frames of the log, each a page, from which on a checkpoint runs: 8 MiB. */
const fullAt = 2048

/** Frames from which on the file is truncated too, instead of written again from its start. */
const largeAt = 4 * fullAt

/** Frames of a log that has been truncated: the commit that wrote its header. */
const emptyFrames = 1

/** How long after the last commit the log is truncated, in milliseconds. */
const idleTime = 2000

/** How long until the next attempt while a read needs the log. */
const retryInterval = "1 second"

/** How long a checkpoint waits for reads to end, in milliseconds. Changes wait meanwhile. */
const readTimeout = 50

/** How often a process looks at the log that others append to, in milliseconds. */
const lookInterval = 250

export interface Options {
  readonly file: string
  readonly log: LogSync
  /** Whether other processes commit, too. */
  readonly isShared: boolean
  /** Excludes changes while the log begins anew. */
  readonly turns: FairPool
}

/** What begins when a commit makes the log long, or when no commit followed for a while. */
const makeTrigger = (log: LogSync, isShared: boolean) => {
  let resume: (() => void) | undefined
  const idle = setTimeout(() => resume?.(), idleTime)
  idle.unref()
  const onCommit = (frames: number): void => {
    if (frames >= fullAt) resume?.()
    else idle.refresh()
  }
  log.onCommit(onCommit)
  let lastFrames = log.frames()
  const look = (): void => {
    const frames = log.frames()
    if (frames === lastFrames) return
    lastFrames = frames
    onCommit(frames)
  }
  const looks = isShared ? setInterval(look, lookInterval).unref() : undefined
  return {
    close: () => {
      clearTimeout(idle)
      clearInterval(looks)
    },
    /** `isLong` is whether the file is to be truncated even if the log is empty. */
    next: (isLong: boolean) =>
      Effect.callback<void>((done) => {
        resume = () => {
          resume = undefined
          done(Effect.void)
        }
        const frames = log.frames()
        if (frames >= fullAt) resume()
        else if (isLong || frames > emptyFrames) idle.refresh()
      })
  }
}

/** Runs checkpoints until the scope closes. */
export const start = Effect.fnUntraced(function* ({
  file,
  isShared,
  log,
  turns
}: Options): Effect.fn.Return<void, never, Scope.Scope> {
  const thread = yield* Thread.makeScoped({ file, isReader: false })
  const trigger = yield* Effect.acquireRelease(
    Effect.sync(() => makeTrigger(log, isShared)),
    ({ close }) => Effect.sync(close)
  )
  const run = (sql: string) =>
    Effect.map(
      Effect.tapError(thread.run("fresh", sql, []), (error) => Effect.sync(() => log.observe(error.reason.cause))),
      ({ rows: [row] }) => (Array.isArray(row) ? Number(row[0]) : 0)
    )

  /** Whether the file may be longer than the log: a log that begins anew keeps the length of its file. */
  let isLong = false

  /** Returns whether the log begins anew with the next commit. */
  const restart = (mode: "RESTART" | "TRUNCATE") =>
    turns.use(
      Effect.gen(function* () {
        yield* log.settled
        yield* run(`PRAGMA busy_timeout = ${readTimeout}`)
        if ((yield* run(`PRAGMA wal_checkpoint(${mode})`)) !== 0) return false
        isLong = mode === "RESTART"
        // The first commit of a new log syncs its header: a commit without a change does so on this thread.
        yield* run(`PRAGMA user_version = ${yield* run("PRAGMA user_version")}`)
        return true
      })
    )

  const step: Effect.Effect<void, SqlError> = Effect.suspend(() => {
    const frames = log.frames()
    if (frames <= emptyFrames && !isLong) return Effect.void
    const isFull = frames >= fullAt
    return Effect.flatMap(
      // Most pages are copied beside changes.
      Effect.andThen(
        run("PRAGMA wal_checkpoint(PASSIVE)"),
        restart(isFull && frames < largeAt ? "RESTART" : "TRUNCATE")
      ),
      (isRestarted) => (isRestarted ? Effect.void : Effect.andThen(Effect.sleep(retryInterval), step))
    )
  })

  yield* Effect.suspend(() => trigger.next(isLong)).pipe(
    Effect.andThen(step),
    Effect.catch((error) =>
      Effect.logWarning("checkpoint of the database failed", error).pipe(Effect.andThen(Effect.sleep(retryInterval)))
    ),
    Effect.forever,
    Effect.forkScoped
  )
})
