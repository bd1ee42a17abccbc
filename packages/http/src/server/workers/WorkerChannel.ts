/**
 * The supervisor, as seen by a worker process. A worker process exits when its supervisor has died (`node:cluster`).
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Messages from "./Messages.ts"

export type Counts = Extract<Messages.ToWorker, { readonly type: "counted" }>["counts"]

export interface WorkerChannel {
  /** Sends a message, and returns when it is sent. */
  readonly send: (message: Messages.ToSupervisor) => Effect.Effect<void>
  /** Returns when all processes listen for the first time. */
  readonly started: Effect.Effect<void>
  /** Returns when the supervisor asks the process to stop. */
  readonly stopped: Effect.Effect<void>
  /** Calls a function with what other processes have counted. */
  readonly onCounted: (add: (counts: Counts) => void) => void
  /** Answers the supervisor's requests for the metrics of this process. */
  readonly reportBy: (read: Effect.Effect<string>) => void
  /** Returns the metrics of all processes of the service, in the text format of Prometheus. */
  readonly collect: Effect.Effect<ReadonlyArray<string>>
}

/** The channel of this process; undefined for a service of one process. */
export const CurrentChannel = Context.Reference<WorkerChannel | undefined>(
  "@holdfast/http/server/workers/WorkerChannel",
  { defaultValue: () => undefined }
)

/** Opens the channel for the rest of the process. */
export const open = (): WorkerChannel => {
  const started = Deferred.makeUnsafe<void>()
  const stopped = Deferred.makeUnsafe<void>()
  const collecting = new Map<number, (texts: ReadonlyArray<string>) => void>()
  let lastId = 0
  let add: (counts: Counts) => void = () => undefined
  let report: Effect.Effect<string> = Effect.succeed("")

  const post = (message: Messages.ToSupervisor, sent?: () => void): void =>
    void process.send?.(message, undefined, {}, () => sent?.())

  process.on("message", (received) => {
    const message = Messages.toWorker(received)
    switch (message?.type) {
      case "started":
        return Deferred.doneUnsafe(started, Effect.void)
      case "stop":
        return Deferred.doneUnsafe(stopped, Effect.void)
      case "report":
        return void Effect.runFork(Effect.map(report, (text) => post({ type: "report", id: message.id, text })))
      case "counted":
        return add(message.counts)
      case "collected":
        collecting.get(message.id)?.(message.texts)
        return collecting.delete(message.id)
      default:
        return
    }
  })

  return {
    send: (message) => Effect.callback<void>((resume) => post(message, () => resume(Effect.void))),
    started: Deferred.await(started),
    stopped: Deferred.await(stopped),
    onCounted: (listener) => {
      add = listener
    },
    reportBy: (read) => {
      report = read
    },
    collect: Effect.callback<ReadonlyArray<string>>((resume) => {
      const id = ++lastId
      collecting.set(id, (texts) => resume(Effect.succeed(texts)))
      post({ type: "collect", id })
      return Effect.sync(() => void collecting.delete(id))
    })
  }
}
