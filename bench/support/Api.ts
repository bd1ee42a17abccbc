/**
 * Calls of the service's API that prepare a scenario; none of them is measured.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attempt, type BenchFailure } from "./BenchFailure.ts"

const timeout = 60_000

const request = (method: string, url: string, body?: unknown): Effect.Effect<unknown, BenchFailure> =>
  attempt(`${method} ${new URL(url).pathname}`, async () => {
    const response = await fetch(url, {
      method,
      signal: AbortSignal.timeout(timeout),
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${text}`)
    return text === "" ? undefined : JSON.parse(text)
  })

/** Posts JSON; the answer has to be of this shape. */
export const post = <A>(shape: Schema.Codec<A, unknown>, url: string, body: unknown): Effect.Effect<A, BenchFailure> =>
  Effect.flatMap(request("POST", url, body), (answer) =>
    attempt(`The answer of ${new URL(url).pathname}`, () => Schema.decodeUnknownPromise(shape)(answer))
  )
