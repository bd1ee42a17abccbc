/**
 * The supervisor of the worker processes of a service: starts them, replaces those that end, and stops them. It accepts the
 * connections and gives each one to the next process (`node:cluster`). It answers no request, so that little can make it end.
 */
import { StoreTime } from "@holdfast/core/StoreTime"
import { offsetOf } from "@holdfast/sql/StoreClock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import cluster, { type Worker } from "node:cluster"
import * as MergedMetrics from "../metrics/MergedMetrics.ts"
import * as Messages from "../workers/Messages.ts"
import * as WorkerProcess from "../workers/WorkerProcess.ts"
import * as PendingConnections from "./PendingConnections.ts"

export interface Options {
  readonly count: number
  /** How long a process may take to stop in order. */
  readonly stopTimeout: Duration.Duration
}

/** Milliseconds until a process is replaced that has ended soon after its start. It doubles with each one that does. */
const backoff = { least: 100, most: 10_000 }

/** Milliseconds after which the start of a process counts as a success. */
const stableAfter = 10_000

/** How long a process may take to report its metrics. After that its latest report counts. */
const reportTimeout = 2000

interface Ended {
  readonly code: number | null
  readonly signal: string | null
}

const restarts = Metric.counter("holdfast_worker_restarts_total", {
  description: "Worker processes that were started because another one had ended.",
  incremental: true
})
const running = Metric.gauge("holdfast_worker_processes", { description: "Worker processes that accept connections." })

/** The metrics of all processes. */
const makeMetrics = (ownText: Effect.Effect<string>) => {
  const latest = new Map<Worker, string>()
  const ended: MergedMetrics.Families = new Map()
  const waiting = new Map<number, (text: string) => void>()
  let lastId = 0

  const report = (worker: Worker): Effect.Effect<string> =>
    Effect.callback<string>((resume) => {
      const id = ++lastId
      waiting.set(id, (text) => resume(Effect.succeed(text)))
      worker.send({ type: "report", id } satisfies Messages.ToWorker)
      return Effect.sync(() => void waiting.delete(id))
    }).pipe(
      Effect.tap((text) => Effect.sync(() => latest.set(worker, text))),
      Effect.timeoutOrElse({
        duration: reportTimeout,
        orElse: () => Effect.sync(() => latest.get(worker) ?? "")
      })
    )

  return {
    accept: (id: number, text: string): void => {
      waiting.get(id)?.(text)
      waiting.delete(id)
    },
    /** Keeps the counters of a process that has ended. */
    keep: (worker: Worker): void => {
      MergedMetrics.addText(ended, latest.get(worker) ?? "")
      MergedMetrics.keepCounters(ended)
      latest.delete(worker)
    },
    collect: (workers: ReadonlyArray<Worker>): Effect.Effect<ReadonlyArray<string>> =>
      Effect.map(
        Effect.all([ownText, Effect.forEach(workers, report, { concurrency: "unbounded" })]),
        ([own, texts]) => [own, MergedMetrics.format(ended), ...texts]
      )
  }
}

/** Runs until interrupted, then stops all processes in order. Fails when a first process ends, and when a store has failed. */
export const run = Effect.fnUntraced(function* ({
  count,
  stopTimeout
}: Options): Effect.fn.Return<never, WorkerProcess.WorkerProcessFailed> {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const time = yield* StoreTime
  const failed = yield* Deferred.make<never, WorkerProcess.WorkerProcessFailed>()
  const metrics = makeMetrics(PrometheusMetrics.format())
  const listening = new Set<Worker>()
  const firstListens = Latch.makeUnsafe(false)
  let hasStarted = false
  let isBroken = false

  const post = (worker: Worker, message: Messages.ToWorker): void => {
    if (worker.isConnected()) worker.send(message)
  }

  const onListening = (worker: Worker): void => {
    listening.add(worker)
    firstListens.openUnsafe()
    fork(Metric.update(running, listening.size))
    if (hasStarted || listening.size < count) return
    hasStarted = true
    for (const started of listening) post(started, { type: "started" })
  }

  const receive = (worker: Worker, received: unknown): void => {
    const message = Messages.toSupervisor(received)
    switch (message?.type) {
      case "listening":
        return onListening(worker)
      case "storeFailed":
        isBroken = true
        return void Deferred.doneUnsafe(failed, Effect.fail(new WorkerProcess.WorkerProcessFailed({ code: 1 })))
      case "collect":
        return void fork(
          Effect.map(metrics.collect([...listening]), (texts) =>
            post(worker, { type: "collected", id: message.id, texts })
          )
        )
      case "counted":
        for (const other of listening) if (other !== worker) post(other, message)
        return
      case "report":
        return metrics.accept(message.id, message.text)
      default:
        return
    }
  }

  /** Runs one process to its end. An interruption stops it in order, or at once after a store has failed. */
  const runProcess = (part: WorkerProcess.WorkerProcess): Effect.Effect<Ended> =>
    Effect.callback<Ended>((resume) => {
      const worker = cluster.fork(WorkerProcess.toEnvironment(part))
      PendingConnections.closeWith(worker)
      const ended = Deferred.makeUnsafe<Ended>()
      worker.on("message", (received) => receive(worker, received))
      const end = (code: number | null, signal: string | null): void => {
        listening.delete(worker)
        metrics.keep(worker)
        fork(Metric.update(running, listening.size))
        Deferred.doneUnsafe(ended, Effect.succeed({ code, signal }))
        resume(Effect.succeed({ code, signal }))
      }
      worker.on("exit", end)
      worker.on("error", (error) => {
        const hasStarted = worker.process.pid !== undefined
        fork(Effect.logError(hasStarted ? "message to a worker process not sent" : "worker process not started", error))
        // Node emits no `exit` for a process that the system did not start, such as for want of memory or processes.
        if (!hasStarted) end(null, null)
      })
      const kill = Effect.sync(() => worker.process.kill("SIGKILL"))
      return Effect.suspend(() => {
        if (isBroken) return kill
        post(worker, { type: "stop" })
        // A process that starts does not receive messages yet.
        if (!listening.has(worker)) worker.process.kill("SIGTERM")
        return Effect.void
      }).pipe(
        Effect.andThen(Deferred.await(ended)),
        Effect.timeoutOrElse({
          duration: stopTimeout,
          orElse: () =>
            Effect.andThen(
              Effect.annotateLogs(Effect.logWarning("worker process killed; it did not stop in time"), {
                worker: part.number
              }),
              Effect.andThen(kill, Deferred.await(ended))
            )
        })
      )
    })

  /** Keeps one process running. */
  const keep = (number: number) =>
    Effect.gen(function* () {
      if (number > 1) yield* firstListens.await
      let wait = backoff.least
      let isFirst = number === 1
      while (true) {
        const startedAt = performance.now()
        const { code, signal } = yield* runProcess({
          number,
          count,
          isFirst,
          clockOffset: time === undefined ? undefined : offsetOf(time.clock)
        })
        if (!hasStarted) return yield* new WorkerProcess.WorkerProcessFailed({ code: code ?? 1 })
        isFirst = false
        wait = performance.now() - startedAt >= stableAfter ? backoff.least : Math.min(2 * wait, backoff.most)
        yield* Effect.annotateLogs(Effect.logError("worker process ended; another one starts"), {
          worker: number,
          code,
          signal,
          seconds: wait / 1000
        })
        yield* Effect.sleep(Duration.millis(wait))
        yield* Metric.update(restarts, 1)
      }
    })

  const all = Effect.forEach(
    Array.from({ length: count }, (_, index) => index + 1),
    keep,
    {
      concurrency: "unbounded",
      discard: true
    }
  )
  return yield* Effect.raceFirst(Effect.andThen(all, Effect.never), Deferred.await(failed))
})
