/**
 * Workers that finish large tasks in short steps, each of which is one transaction. The tasks may have been requested on any node. If
 * the process dies, another worker continues after the lease has expired.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { asBackgroundWork, repeatStep } from "../BackgroundWork.ts"
import type { MetadataError } from "../MetadataError.ts"

export interface StepWorkerOptions {
  /** How often an idle worker looks for tasks. */
  readonly pollInterval: Duration.Input
  /** How long a task stays claimed after a step. */
  readonly lease: Duration.Input
  /** The duration of a step that the worker aims at. On SQLite, other statements wait for a step. */
  readonly stepDuration: Duration.Input
  /** How long the worker continues with one task while others are due. */
  readonly turn: Duration.Input
}

export const defaults: StepWorkerOptions = {
  pollInterval: "2 seconds",
  lease: "30 seconds",
  stepDuration: "20 millis",
  turn: "1 second"
}

/** The result of a step. */
export interface Step {
  /**
   * - `PENDING`: further rows are left.
   * - `WAITING`: the rest depends on other tasks.
   * - `DONE`: the task has ended.
   * - `LOST`: the lease has expired, and another process may have claimed the task. Nothing was changed.
   */
  readonly state: "PENDING" | "WAITING" | "DONE" | "LOST"
  /** Rows that this step worked on. */
  readonly rows: number
}

/** The tasks of a worker. */
export interface Tasks<Claim> {
  /** What the tasks are, for log messages: such as "removal". */
  readonly name: string
  /** Claims the task that has waited longest; none when none is due. */
  readonly claim: (terms: {
    readonly lease: string
    readonly leaseUntil: DateTime.Utc
    readonly now: DateTime.Utc
  }) => Effect.Effect<Option.Option<Claim>, MetadataError>
  /** Works on at most `limit` rows and renews the lease. */
  readonly step: (terms: {
    readonly claim: Claim
    readonly limit: number
    readonly leaseUntil: DateTime.Utc
  }) => Effect.Effect<Step, MetadataError>
  /** Releases a claimed task: another process may claim it from `dueAt` on. */
  readonly release: (claim: Claim, dueAt: DateTime.Utc) => Effect.Effect<void, MetadataError>
  /** Facts about a task for log messages. */
  readonly describe: (claim: Claim) => Readonly<Record<string, unknown>>
}

/** The least and the most rows of a step. */
const rows = { least: 50, first: 200, most: 2000 }

/** Returns the rows of the next step, so that it takes the aimed time. At most doubles, because a duration varies. */
const nextLimit = (limit: number, done: number, took: number, aim: number): number => {
  const possible = took <= 0 || done === 0 ? rows.most : Math.floor((done * aim) / took)
  return Math.max(rows.least, Math.min(possible, 2 * limit, rows.most))
}

/** Runs until interrupted. */
const work = Effect.fnUntraced(function* <Claim>(tasks: Tasks<Claim>, options: StepWorkerOptions) {
  const random = yield* SecureRandom
  const aim = Duration.toMillis(options.stepDuration)
  const turn = Duration.toMillis(options.turn)
  const leaseUntil = Effect.map(DateTime.now, (now) => DateTime.addDuration(now, options.lease))
  let limit = rows.first

  /** Works on one task until it is done or its turn ends. */
  const takeTurn = Effect.fnUntraced(function* (claim: Claim) {
    const begin = yield* Clock.currentTimeMillis
    while (true) {
      const start = yield* Clock.currentTimeMillis
      const step = yield* tasks.step({ claim, limit, leaseUntil: yield* leaseUntil })
      const end = yield* Clock.currentTimeMillis
      if (step.state === "LOST") return
      if (step.state === "DONE") return yield* Effect.logInfo(`${tasks.name} finished`)
      if (step.state === "WAITING") return yield* tasks.release(claim, DateTime.makeUnsafe(end + 1000))
      if (end - begin >= turn) return yield* tasks.release(claim, DateTime.makeUnsafe(end))
      limit = nextLimit(limit, step.rows, end - start, aim)
      // Half of the time is left to the requests.
      yield* Effect.sleep(Duration.millis(Math.min(end - start, aim)))
    }
  })

  /** Takes a turn on the next task; false when none is due. */
  const next = Effect.gen(function* () {
    const claim = yield* tasks.claim({
      lease: yield* random.uuidV4(),
      leaseUntil: yield* leaseUntil,
      now: yield* DateTime.now
    })
    if (Option.isNone(claim)) return false
    yield* takeTurn(claim.value).pipe(
      Effect.onInterrupt(() => Effect.flatMap(DateTime.now, (now) => Effect.ignore(tasks.release(claim.value, now)))),
      Effect.annotateLogs(tasks.describe(claim.value))
    )
    return true
  })

  return yield* repeatStep(next, Effect.sleep(options.pollInterval), {
    worker: `${tasks.name} worker`,
    failure: `${tasks.name} interrupted: metadata store failed; will retry`
  })
})

/** Forks a worker for as long as the scope is open. */
export const fork = <Claim>(tasks: Tasks<Claim>, options: Partial<StepWorkerOptions> = {}) =>
  Effect.forkScoped(asBackgroundWork(work(tasks, { ...defaults, ...options })))
