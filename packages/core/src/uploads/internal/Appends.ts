/**
 * The appends that run in this process, by upload: a request that continues an upload ends the one before it.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

interface Running {
  readonly stop: Deferred.Deferred<void>
  readonly ended: Deferred.Deferred<void>
}

export interface Appends {
  /**
   * Ends the append to an upload that runs in this process, if there is one, and waits until its bytes are stored. An append of
   * another process ends at its next part, because its epoch is over.
   */
  readonly end: (uploadId: string) => Effect.Effect<void>
  /**
   * Runs an append, uninterruptibly. `run` gets the effect that completes when the append has to end.
   */
  readonly run: <A, E, R>(
    uploadId: string,
    run: (stop: Effect.Effect<void>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}

/** How long a request waits for the one before it. After that the epoch alone keeps the former one from appending. */
const maxWait = Duration.seconds(10)

export const make = (): Appends => {
  const running = new Map<string, Running>()
  return {
    end: (uploadId) =>
      Effect.suspend(() => {
        const former = running.get(uploadId)
        if (former === undefined) return Effect.void
        return Deferred.succeed(former.stop, undefined).pipe(
          Effect.andThen(Deferred.await(former.ended)),
          Effect.timeoutOption(maxWait),
          Effect.asVoid
        )
      }),
    run: (uploadId, run) =>
      Effect.uninterruptible(
        Effect.gen(function* () {
          const own: Running = { stop: yield* Deferred.make<void>(), ended: yield* Deferred.make<void>() }
          running.set(uploadId, own)
          return yield* Effect.ensuring(
            run(Deferred.await(own.stop)),
            Effect.suspend(() => {
              if (running.get(uploadId) === own) running.delete(uploadId)
              return Deferred.succeed(own.ended, undefined)
            })
          )
        })
      )
  }
}
