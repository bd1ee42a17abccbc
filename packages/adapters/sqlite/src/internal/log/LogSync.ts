/**
 * Makes the commits of a client durable without blocking the thread that commits: an fsync of the write-ahead log in the
 * thread pool of libuv. All commits that wait meanwhile share the next one.
 *
 * The connections have `synchronous = NORMAL`: SQLite appends a commit to the log, and syncs the log itself before it copies
 * pages into the database. The checksums of the log make a commit whose pages are incomplete invisible after a crash. So a
 * commit is as durable after this fsync as with `synchronous = FULL`, where SQLite calls fsync inside of COMMIT.
 *
 * SQLite shows a commit to other connections before the fsync. `Snapshots` keeps reads of the calling thread at the latest
 * durable state; reads on other threads wait for `settled` before they answer.
 *
 * Several processes may share the log (`isShared`). Each one syncs it itself: a commit of another process counts as not durable
 * until an fsync of this process that began after it, and a read that has seen it waits for that fsync. No connection keeps an earlier
 * state then: the client of a durable commit of another process would read what was before it.
 *
 * After a failed fsync the kernel may have dropped pages, and a later fsync would succeed without them. So nothing is committed
 * any more until the database is opened again, and the commits that are not durable are removed from the log (`LogFile`).
 */
import { closeSync, fsync, openSync } from "node:fs"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { OutcomeUnknown } from "@holdfast/sql/SqlFailure"
import { closed, codeOf } from "../SqliteError.ts"
import type { Commits } from "./Commits.ts"
import * as LogFile from "./LogFile.ts"
import type { Snapshots } from "./Snapshots.ts"
import { isSame, type WalIndex } from "./WalIndex.ts"

export interface LogSync extends Commits {
  /** Returns when all commits that a read may have seen until now are durable. Fails when one of them never will be. */
  readonly settled: Effect.Effect<void, SqlError>
  /** Whether a failed commit may have left pages in the log. */
  readonly needsTrim: () => boolean
  /** Removes what failed commits have left, so that no later process takes it for a commit. The caller has the write lock. */
  readonly trim: () => void
  /** Returns the error when a sync has failed. */
  readonly failed: Effect.Effect<SqlError>
  /**
   * Removes the commits that are not durable. The caller has the write lock. Returns false when that is not possible, because
   * another process has committed since or because the disk refuses it.
   */
  readonly cut: () => boolean
  /** After a failed sync: fails everything that waits for it. */
  readonly refuse: (isCut: boolean) => void
  /** Calls a function when the running sync ends; at once when none runs. */
  readonly whenSynced: (then: () => void) => void
  /** The frames of the log. */
  readonly frames: () => number
  /** Calls a function after each commit, with the frames of the log. */
  readonly onCommit: (listener: (frames: number) => void) => void
  /** Closes the log after the running sync. Fails what waits for a sync that will not follow. */
  readonly close: Effect.Effect<void>
}

/** SQLITE_IOERR_FSYNC, SQLITE_IOERR_DIR_FSYNC. */
const syncErrors: ReadonlySet<number | undefined> = new Set([1034, 1290])

/** SQLITE_NOMEM, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_FULL, SQLITE_CANTOPEN: the commit may have failed after its pages were written. */
const incompleteErrors: ReadonlySet<number> = new Set([7, 10, 11, 13, 14])

const notSynced = (cause: unknown): SqlError =>
  new SqlError({
    reason: new ConnectionError({
      cause,
      message: "SQLite: the write-ahead log could not be synced; open the database again",
      operation: "commit"
    })
  })

interface Waiter {
  readonly commits: number
  readonly resume: (outcome: Effect.Effect<void, SqlError>) => void
}

/** Commits whose requests continue in one turn of the event loop: each of them sends a response. */
const batchSize = 8

/** Continues requests whose commits are durable. */
const resumeAll = (waiters: ReadonlyArray<Waiter>): void => {
  for (const { resume } of waiters.slice(0, batchSize)) resume(Effect.void)
  if (waiters.length > batchSize) setImmediate(resumeAll, waiters.slice(batchSize))
}

export interface Options {
  readonly file: string
  readonly index: WalIndex
  readonly snapshots: Snapshots
  /** Whether other processes commit while this one serves requests. */
  readonly isShared: boolean
}

/** Makes the synchronisation of the log of a database file. */
export const make = ({ file, index, isShared, snapshots }: Options): LogSync => {
  const descriptor = openSync(`${file}-wal`, "r+")
  const failed = Deferred.makeUnsafe<SqlError>()
  let failure: SqlError | undefined
  /** What later waiters fail with: commits remain that are not durable. */
  let refusal: SqlError | undefined
  /** Numbers of commits: those that other connections can see, those of the running sync, those that are durable. */
  let [visible, included, durable] = [0, 0, 0]
  let [isSyncing, isCommitting, needsTrim, isClosed] = [false, false, false, false]
  let position = index.readOrRecover()
  let waiting: Array<Waiter> = []
  let whenIdle: Array<() => void> = []
  let listener: (frames: number) => void = () => undefined

  const fail = (cause: unknown): void => {
    if (failure !== undefined) return
    failure = notSynced(cause)
    Deferred.doneUnsafe(failed, Effect.succeed(failure))
  }

  const resumeIdle = (due: ReadonlyArray<() => void>): void => {
    for (const then of due) then()
  }

  const start = (): void => {
    isSyncing = true
    included = visible
    fsync(descriptor, (error) => {
      isSyncing = false
      if (error !== null) fail(error)
      const due = whenIdle
      whenIdle = []
      if (failure !== undefined) return resumeIdle(due)
      durable = included
      if (visible > durable) {
        snapshots.advance()
        // Commits that came during this fsync may not be part of it.
        start()
      } else if (isCommitting) snapshots.advance()
      else snapshots.release()
      resumeIdle(due)
      const settled = waiting.filter(({ commits }) => commits <= durable)
      waiting = waiting.filter(({ commits }) => commits > durable)
      resumeAll(settled)
    })
  }

  /** Counts the commits of other processes since the last call. */
  const noticeOthers = (): void => {
    const now = index.read()
    if (isSame(now, position)) return
    position = now ?? position
    visible++
  }

  const startIfNeeded = (): void => {
    if (visible > included && !isSyncing && failure === undefined) start()
  }

  const begin = (): void => {
    if (isClosed) throw closed()
    if (failure !== undefined) throw failure
    if (isShared) return noticeOthers()
    position = index.readOrRecover()
    if (visible === durable) snapshots.keepCurrent(position)
    else if (visible === included) snapshots.keepNext(position)
    isCommitting = true
  }

  /** `hasChanged`: whether the commit has appended to the log. */
  const end = (hasChanged: boolean): void => {
    isCommitting = false
    if (hasChanged) {
      visible++
      listener(position.frames)
    } else if (visible === durable) snapshots.release()
    startIfNeeded()
  }

  const wait = Effect.uninterruptible(
    Effect.callback<void, SqlError>((resume) => {
      if (refusal === undefined) waiting.push({ commits: visible, resume })
      else resume(Effect.fail(refusal))
    })
  )

  if (isShared) {
    // What the file has now may be from a process that died before its fsync.
    visible++
    start()
  }

  return {
    begin,
    end: () => {
      const before = position
      const now = index.read()
      position = now ?? before
      end(!isSame(now, before))
    },
    abort: () => end(false),
    observe: (thrown) => {
      const code = codeOf(thrown)
      if (code === undefined) return
      if (syncErrors.has(code)) fail(thrown)
      else if (incompleteErrors.has(code & 0xff)) needsTrim = true
    },
    settled: Effect.suspend(() => {
      if (isShared && !isClosed) {
        noticeOthers()
        startIfNeeded()
      }
      return visible === durable ? Effect.void : wait
    }),
    needsTrim: () => needsTrim && failure === undefined,
    trim: () => {
      needsTrim = false
      begin()
      try {
        LogFile.trim(descriptor, index)
        // Its length has to be durable like a commit.
        end(true)
      } catch (error) {
        end(false)
        fail(error)
      }
    },
    failed: Deferred.await(failed),
    cut: () => {
      const state = snapshots.durable()
      if (visible === durable) return true
      // Other processes may have committed behind it.
      if (isShared) return false
      if (state === undefined) return true
      return LogFile.cut(descriptor, index, { commits: visible - durable, durable: state })
    },
    refuse: (isCut) => {
      const cause = failure?.reason.cause
      const error = notSynced(isCut ? cause : new OutcomeUnknown({ cause }))
      if (isCut) visible = durable
      else refusal = error
      const refused = waiting
      waiting = []
      for (const { resume } of refused) resume(Effect.fail(error))
    },
    whenSynced: (then) => {
      if (isSyncing) whenIdle.push(then)
      else then()
    },
    frames: () => (index.read() ?? position).frames,
    onCommit: (added) => {
      listener = added
    },
    close: Effect.callback<void>((resume) => {
      const closeWhenIdle = (): void => {
        if (isSyncing) return void whenIdle.push(closeWhenIdle)
        isClosed = true
        closeSync(descriptor)
        refusal ??= notSynced(new OutcomeUnknown({ cause: failure?.reason.cause }))
        const refused = waiting.filter(({ commits }) => commits > durable)
        waiting = waiting.filter(({ commits }) => commits <= durable)
        for (const waiter of refused) waiter.resume(Effect.fail(refusal))
        resume(Effect.void)
      }
      closeWhenIdle()
    })
  }
}
