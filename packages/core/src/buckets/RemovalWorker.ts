/**
 * The removal worker: deletes the rows of removed buckets and tenants in short steps. The removals may have been requested on any
 * node. If the process dies, another worker continues after the lease has expired.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { asBackgroundWork, repeatStep } from "../BackgroundWork.ts"
import { type RemovalClaim, RemovalRepository } from "./RemovalRepository.ts"

export interface RemovalWorkerOptions {
  /** How often an idle worker looks for removals. */
  readonly pollInterval: Duration.Input
  /** How long a removal stays claimed after a step. */
  readonly lease: Duration.Input
  /** The duration of a step that the worker aims at. On SQLite, other statements wait for a step. */
  readonly stepDuration: Duration.Input
  /** How long the worker continues with one removal while others are due. */
  readonly turn: Duration.Input
}

export const defaults: RemovalWorkerOptions = {
  pollInterval: "2 seconds",
  lease: "30 seconds",
  stepDuration: "20 millis",
  turn: "1 second"
}

/** The least and the most rows of a step. */
const rows = { least: 50, first: 200, most: 2000 }

/** Returns the rows of the next step, so that it takes the aimed time. At most doubles, because a duration varies. */
const nextLimit = (limit: number, deleted: number, took: number, aim: number): number => {
  const possible = took <= 0 || deleted === 0 ? rows.most : Math.floor((deleted * aim) / took)
  return Math.max(rows.least, Math.min(possible, 2 * limit, rows.most))
}

/** Runs until interrupted. */
const work = Effect.fnUntraced(function* (options: RemovalWorkerOptions) {
  const repository = yield* RemovalRepository
  const random = yield* SecureRandom
  const aim = Duration.toMillis(options.stepDuration)
  const turn = Duration.toMillis(options.turn)
  const leaseUntil = Effect.map(DateTime.now, (now) => DateTime.addDuration(now, options.lease))
  let limit = rows.first

  /** Works on one removal until it is done or its turn ends. */
  const takeTurn = Effect.fnUntraced(function* (claim: RemovalClaim) {
    const begin = yield* Clock.currentTimeMillis
    let deleted = claim.deleted
    while (true) {
      const start = yield* Clock.currentTimeMillis
      const step = yield* repository.step({ claim, limit, leaseUntil: yield* leaseUntil })
      const end = yield* Clock.currentTimeMillis
      deleted += step.deleted
      if (step.state === "LOST") return
      if (step.state === "DONE") return yield* Effect.annotateLogs(Effect.logInfo("removal finished"), { deleted })
      if (step.state === "WAITING") return yield* repository.release(claim, DateTime.makeUnsafe(end + 1000))
      if (end - begin >= turn) return yield* repository.release(claim, DateTime.makeUnsafe(end))
      limit = nextLimit(limit, step.deleted, end - start, aim)
      // Half of the time is left to the requests.
      yield* Effect.sleep(Duration.millis(Math.min(end - start, aim)))
    }
  })

  /** Takes a turn on the next removal; false when none is due. */
  const next = Effect.gen(function* () {
    const claim = yield* repository.claim({
      lease: yield* random.uuidV4(),
      leaseUntil: yield* leaseUntil,
      now: yield* DateTime.now
    })
    if (Option.isNone(claim)) return false
    const { id, kind } = claim.value
    yield* takeTurn(claim.value).pipe(
      Effect.onInterrupt(() =>
        Effect.flatMap(DateTime.now, (now) => Effect.ignore(repository.release(claim.value, now)))
      ),
      Effect.annotateLogs({ id, kind })
    )
    return true
  })

  return yield* repeatStep(next, Effect.sleep(options.pollInterval), {
    worker: "removal worker",
    failure: "removal interrupted: metadata store failed; will retry"
  })
})

/** Finishes removals while the layer is open. */
export const layer = (
  options: Partial<RemovalWorkerOptions> = {}
): Layer.Layer<never, never, RemovalRepository | SecureRandom> =>
  Layer.effectDiscard(Effect.forkScoped(asBackgroundWork(work({ ...defaults, ...options }))))
