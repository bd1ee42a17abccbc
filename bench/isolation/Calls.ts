/**
 * Requests of an attacker. Any response is a result: a service that refuses an attack is right.
 */
import * as Effect from "effect/Effect"
import { attempt, type BenchFailure } from "../support/run/BenchFailure.ts"

export interface Answer {
  readonly status: number
  readonly text: string
  readonly milliseconds: number
}

/** Sends a request, with a JSON body if there is one, and reads the whole response. It may take any time. */
export const call = (
  method: string,
  url: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = body === undefined ? {} : { "content-type": "application/json" }
): Effect.Effect<Answer, BenchFailure> =>
  attempt(`${method} ${new URL(url).pathname}`, async () => {
    const start = performance.now()
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
    const text = await response.text()
    return { status: response.status, text, milliseconds: performance.now() - start }
  })

/** Returns a duration for the table. */
export const duration = (ms: number): string => (ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(0)} ms`)

/** Returns what the service answered: `12 × 200, slowest 31 ms`. */
export const describe = (answers: ReadonlyArray<Answer>): string => {
  const counts = new Map<number, number>()
  // A loop, because Math.max cannot take hundreds of thousands of arguments.
  let slowest = 0
  for (const { milliseconds, status } of answers) {
    counts.set(status, (counts.get(status) ?? 0) + 1)
    slowest = Math.max(slowest, milliseconds)
  }
  const parts = [...counts].map(([status, count]) => `${count} × ${status}`)
  return `${parts.join(", ")}, slowest ${duration(slowest)}`
}

/** Sends all requests, at most `connections` at a time. */
export const callAll = (
  calls: Iterable<Effect.Effect<Answer, BenchFailure>>,
  connections: number
): Effect.Effect<string, BenchFailure> => Effect.map(Effect.all(calls, { concurrency: connections }), describe)

/** Repeats requests over several connections until the time has passed. */
export const callFor = (
  makeCall: (number: number) => Effect.Effect<Answer, BenchFailure>,
  connections: number,
  seconds: number
): Effect.Effect<string, BenchFailure> =>
  Effect.suspend(() => {
    const end = performance.now() + seconds * 1000
    const answers: Array<Answer> = []
    let number = 0
    const repeat: Effect.Effect<void, BenchFailure> = Effect.suspend(() =>
      performance.now() >= end
        ? Effect.void
        : Effect.flatMap(makeCall(number++), (answer) => {
            answers.push({ ...answer, text: "" })
            return repeat
          })
    )
    const all = Effect.all(
      Array.from({ length: connections }, () => repeat),
      { concurrency: "unbounded" }
    )
    return Effect.map(all, () => describe(answers))
  })
