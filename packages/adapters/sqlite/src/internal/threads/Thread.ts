/**
 * A thread that has a database open, as seen by the thread that starts it.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { closed, fromOpening, fromStatement } from "../SqliteError.ts"
import { type Result, toInput } from "../SqliteStatement.ts"
import type { Worker } from "node:worker_threads"
import type { Reply, Request, ThreadOptions } from "./Messages.ts"
import { startWorker } from "./StartWorker.ts"

export interface Thread {
  /** Runs a statement. Uninterruptible: SQLite cannot stop a statement. */
  readonly run: (
    kind: Exclude<Request["kind"], "close">,
    sql: string,
    params: ReadonlyArray<unknown>
  ) => Effect.Effect<Result, SqlError>
  /** Starts the thread, unless it runs, and waits until it has opened the database or failed to: then a statement fails, too. */
  readonly ready: Effect.Effect<void>
  /** Whether the last statement has left a transaction open. */
  readonly isTransaction: () => boolean
  /** Ends the thread after its current statement. Rolls an open transaction back; later statements fail. */
  readonly close: Effect.Effect<void>
}

const threadEnded = (): SqlError =>
  new SqlError({
    reason: new ConnectionError({
      cause: undefined,
      message: "The thread that has the database open has ended",
      operation: "execute"
    })
  })

/** Returns the failure of a statement as node:sqlite has thrown it. */
const toThrown = ({ errcode, message }: NonNullable<Reply["failure"]>): Error =>
  errcode === undefined ? new TypeError(message) : Object.assign(new Error(message), { errcode })

type Resume = (outcome: Effect.Effect<Result, SqlError>) => void

interface Waiting {
  readonly sql: string
  readonly resume: Resume
}

/**
 * How long a thread stays without a statement, in milliseconds. Node takes some 12 MiB for each thread, and 30 ms to start one
 * again.
 */
const defaultIdleTime = 10_000

/** A running thread. It keeps the process alive only while a statement runs. */
const startThread = (options: ThreadOptions, onEnd: () => void) => {
  const worker = startWorker({ name: "holdfast-sqlite", workerData: options, execArgv: [] })
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let isTransaction = false
  let hasAnswered = false
  let failure = threadEnded()
  worker.unref()
  worker.on("message", (reply: Reply) => {
    const request = waiting.get(reply.id)
    waiting.delete(reply.id)
    if (waiting.size === 0) worker.unref()
    hasAnswered = true
    isTransaction = reply.isTransaction
    if (reply.result !== undefined) request?.resume(Effect.succeed(reply.result))
    else if (reply.failure !== undefined)
      request?.resume(Effect.fail(fromStatement(request.sql)(toThrown(reply.failure))))
  })
  // The database could not be opened: the program of the thread catches the errors of statements.
  worker.on("error", (error) => (failure = fromOpening(error)))
  worker.on("exit", () => {
    onEnd()
    for (const { resume } of waiting.values()) resume(Effect.fail(failure))
    waiting.clear()
  })
  const send = (kind: Request["kind"], sql: string, params: ReadonlyArray<unknown>, resume: Resume): void => {
    const request: Request = { id: ++lastId, kind, sql, params: params.map(toInput) }
    worker.postMessage(request, [])
    if (waiting.size === 0) worker.ref()
    waiting.set(request.id, { sql, resume })
  }
  return {
    worker,
    send,
    hasAnswered: () => hasAnswered,
    isTransaction: () => isTransaction,
    isUsed: () => isTransaction || waiting.size > 0
  }
}

/** Makes a thread. It starts with the first statement, and again after it has ended. It ends when it has not been used for a while. */
export const make = (options: ThreadOptions, idleTime: number = defaultIdleTime): Thread => {
  let thread: ReturnType<typeof startThread> | undefined
  const running = new Set<Worker>()
  let isClosed = false
  const end = () => {
    thread?.send("close", "", [], () => undefined)
    thread = undefined
  }
  const idle = setTimeout(() => (thread?.isUsed() === true ? idle.refresh() : end()), idleTime)
  idle.unref()
  const start = () => {
    const started = startThread(options, () => {
      running.delete(started.worker)
      if (thread === started) thread = undefined
    })
    running.add(started.worker)
    return started
  }
  const run: Thread["run"] = (kind, sql, params) =>
    Effect.uninterruptible(
      Effect.callback<Result, SqlError>((resume) => {
        if (isClosed) return resume(Effect.fail(closed()))
        try {
          thread ??= start()
          thread.send(kind, sql, params, resume)
          idle.refresh()
        } catch (error) {
          resume(Effect.fail(fromStatement(sql)(error)))
        }
      })
    )
  return {
    run,
    ready: Effect.suspend(() =>
      thread?.hasAnswered() === true ? Effect.void : Effect.ignore(run("values", "SELECT 1", []))
    ),
    isTransaction: () => thread?.isTransaction() ?? false,
    close: Effect.promise(async () => {
      isClosed = true
      clearTimeout(idle)
      end()
      await Promise.all([...running].map((worker) => new Promise((resolve) => worker.once("exit", resolve))))
    })
  }
}

/** Makes a thread that ends when the scope closes. */
export const makeScoped = (options: ThreadOptions): Effect.Effect<Thread, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => make(options)),
    ({ close }) => close
  )
