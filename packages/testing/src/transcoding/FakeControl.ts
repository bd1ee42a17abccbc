/**
 * What a test has asked a fake transcoder for, as the transcoder sees it.
 */
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { type Method, TranscoderControl } from "./TranscoderControl.ts"

export interface FakeControl {
  readonly handle: TranscoderControl["Service"]
  /** Counts a call; fails where the test said so. */
  readonly call: (method: Method) => Effect.Effect<void, TranscodeError.TranscodeError>
  readonly available: (operation: string) => Effect.Effect<void, TranscodeError.TranscodeError>
  /** Goes from one point of a conversion to the next: waits or fails where the test said so. */
  readonly pass: (operation: string, from: number, to: number) => Effect.Effect<void, TranscodeError.TranscodeError>
  /** Counts a conversion as running. */
  readonly counted: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

interface Held {
  readonly fraction: number
  readonly reached: Deferred.Deferred<void>
  readonly released: Deferred.Deferred<void>
}

interface Failure {
  readonly reason: TranscodeError.Reason
  readonly detail: string | undefined
}

export const make: Effect.Effect<FakeControl> = Effect.sync(() => {
  let holds: ReadonlyArray<Held> = []
  let failures: ReadonlyArray<Failure & { readonly fraction: number }> = []
  let broken = new Map<Method, Failure>()
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
        const hold = { fraction, reached: Deferred.makeUnsafe<void>(), released: Deferred.makeUnsafe<void>() }
        holds = [...holds, hold]
        return {
          reached: Deferred.await(hold.reached),
          resume: Effect.asVoid(Deferred.succeed(hold.released, undefined))
        }
      }),
    failAt: (fraction, reason, detail) =>
      Effect.sync(() => void (failures = [...failures, { fraction, reason, detail }])),
    fail: (method, reason, detail) => Effect.sync(() => void broken.set(method, { reason, detail })),
    setAvailable: (available) => Effect.sync(() => void (isAvailable = available)),
    clear: Effect.suspend(() => {
      const held = holds
      holds = []
      failures = []
      broken = new Map()
      isAvailable = true
      return Effect.forEach(held, ({ released }) => Deferred.succeed(released, undefined), { discard: true })
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
        const failure = broken.get(method)
        return failure === undefined ? available(method) : Effect.fail(error(method, failure))
      }),
    pass: (operation, from, to) =>
      Effect.gen(function* () {
        const isHere = ({ fraction }: { readonly fraction: number }) => fraction >= from && fraction < to
        for (const { reached, released } of holds.filter(isHere)) {
          yield* Deferred.succeed(reached, undefined)
          yield* Deferred.await(released)
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
