/**
 * Tells the repository what became of copies: in groups, since each telling is a transaction.
 */
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type { MetadataError } from "../../MetadataError.ts"
import * as CopyResult from "./CopyResult.ts"
import { MirrorTaskRepository } from "./MirrorTaskRepository.ts"
import type { MirrorWorkerOptions } from "./MirrorWorkerOptions.ts"

/** Ends that are this close to each other are told together, unless one is urgent. */
const grouping = "100 millis"

const isInterrupted = ({ exit }: CopyResult.End): boolean => Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)

/** What is done once ends have been told, before the mirrors that are in trouble are. */
export interface Listener {
  readonly told: (ends: ReadonlyArray<CopyResult.End>) => void
  readonly troubled: (mirrorId: string) => void
  /** A telling is over. */
  readonly done: Effect.Effect<void>
}

/** What is left when the scope closes is told then. */
export const make = Effect.fnUntraced(function* (options: MirrorWorkerOptions, listener: Listener) {
  const tasks = yield* MirrorTaskRepository
  const ends = yield* Queue.unbounded<CopyResult.End>()
  /** Open when they should be told at once. */
  const hurry = Latch.makeUnsafe(false)

  const tell = (some: ReadonlyArray<CopyResult.End>): Effect.Effect<void, MetadataError> =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const cut = some.flatMap((end) => (isInterrupted(end) ? [end.task] : []))
      const whole = some.filter((end) => !isInterrupted(end))
      const outcomes = whole.map((end) => CopyResult.of(end, now, options))
      if (cut.length > 0) yield* tasks.abandon(cut, now)
      if (outcomes.length > 0) yield* tasks.complete(outcomes, now)
      listener.told(some)
      for (const { detail, mirror } of CopyResult.troubled(whole)) {
        yield* tasks.fail(mirror, detail, now, DateTime.addDuration(now, CopyResult.waitOf(mirror, options)))
        listener.troubled(mirror.id)
      }
      for (const mirrorId of CopyResult.recovered(whole)) yield* tasks.recover(mirrorId, now)
    })

  yield* Effect.addFinalizer(() =>
    Effect.flatMap(Queue.clear(ends), tell).pipe(
      Effect.catch((error) => Effect.logWarning("The ends of some copies could not be told", error.reason))
    )
  )

  return {
    /** Has an end told: with those that follow soon, or at once. */
    offer: (end: CopyResult.End, isUrgent: boolean): Effect.Effect<void> =>
      Effect.andThen(Queue.offer(ends, end), isUrgent ? hurry.open : Effect.void),

    /** Tells what is offered, for ever. */
    run: Queue.peek(ends).pipe(
      Effect.andThen(Effect.raceFirst(Effect.sleep(grouping), hurry.await)),
      Effect.andThen(hurry.close),
      Effect.andThen(Queue.takeAll(ends)),
      Effect.flatMap((some) =>
        tell(some).pipe(
          Effect.tapError((error) => Effect.logWarning("The ends of copies could not be told yet", error.reason)),
          // What is told too late was lost with its lease, and is treated so.
          Effect.retry(Schedule.spaced("1 second"))
        )
      ),
      Effect.andThen(listener.done),
      Effect.forever
    )
  }
})
