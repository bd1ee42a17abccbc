/**
 * The instructions of a test to a fake transcoder: the transcoder's side of `TranscoderControl`.
 */
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { type Method, TranscoderControl } from "../TranscoderControl.ts"

export interface FakeControl {
  /** The test's side. */
  readonly handle: TranscoderControl["Service"]
  /** Counts a call. Fails if the test instructed it to. */
  readonly call: (method: Method) => Effect.Effect<void, TranscodeError.TranscodeError>
  /** Fails with `Unavailable` if the test made the programs unavailable. */
  readonly available: (operation: string) => Effect.Effect<void, TranscodeError.TranscodeError>
  /** Passes a part of a run, given as fractions of the whole. Pauses or fails there if the test instructed it to. */
  readonly pass: (operation: string, from: number, to: number) => Effect.Effect<void, TranscodeError.TranscodeError>
  /** Counts a run as running until it ends. */
  readonly counted: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

interface PausePoint {
  readonly fraction: number
  readonly reached: Deferred.Deferred<void>
  readonly resumed: Deferred.Deferred<void>
}

interface Failure {
  readonly reason: TranscodeError.Reason
  readonly detail: string | undefined
}

export const make: Effect.Effect<FakeControl> = Effect.sync(() => {
  let pauses: ReadonlyArray<PausePoint> = []
  let failures: ReadonlyArray<Failure & { readonly fraction: number }> = []
  let failingMethods = new Map<Method, Failure>()
  let isAvailable = true
  let running = 0
  const calls = new Map<Method, number>()

  const error = (operation: string, { detail, reason }: Failure) =>
    new TranscodeError.TranscodeError({ operation, reason, detail })

  const available = (operation: string) =>
    Effect.suspend(() =>
      isAvailable ? Effect.void : Effect.fail(error(operation, { reason: "Unavailable", detail: undefined }))
    )

  const handle = TranscoderControl.of({
    pauseAt: (fraction) =>
      Effect.sync(() => {
        const pause = { fraction, reached: Deferred.makeUnsafe<void>(), resumed: Deferred.makeUnsafe<void>() }
        pauses = [...pauses, pause]
        return {
          reached: Deferred.await(pause.reached),
          resume: Effect.asVoid(Deferred.succeed(pause.resumed, undefined))
        }
      }),
    failAt: (fraction, reason, detail) =>
      Effect.sync(() => void (failures = [...failures, { fraction, reason, detail }])),
    fail: (method, reason, detail) => Effect.sync(() => void failingMethods.set(method, { reason, detail })),
    setAvailable: (available) => Effect.sync(() => void (isAvailable = available)),
    clear: Effect.suspend(() => {
      const paused = pauses
      pauses = []
      failures = []
      failingMethods = new Map()
      isAvailable = true
      return Effect.forEach(paused, ({ resumed }) => Deferred.succeed(resumed, undefined), { discard: true })
    }),
    calls: (method) => Effect.sync(() => calls.get(method) ?? 0),
    running: Effect.sync(() => running)
  })

  return {
    handle,
    available,
    call: (method) =>
      Effect.suspend(() => {
        calls.set(method, (calls.get(method) ?? 0) + 1)
        const failure = failingMethods.get(method)
        return failure === undefined ? available(method) : Effect.fail(error(method, failure))
      }),
    pass: (operation, from, to) =>
      Effect.gen(function* () {
        const isHere = ({ fraction }: { readonly fraction: number }) => fraction >= from && fraction < to
        for (const { reached, resumed } of pauses.filter(isHere)) {
          yield* Deferred.succeed(reached, undefined)
          yield* Deferred.await(resumed)
        }
        const failure = failures.find(isHere)
        if (failure !== undefined) return yield* error(operation, failure)
      }),
    counted: (self) =>
      Effect.acquireUseRelease(
        Effect.sync(() => void running++),
        () => self,
        () => Effect.sync(() => void running--)
      )
  }
})
