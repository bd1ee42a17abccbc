/**
 * The load generator, as its parent sees it.
 */
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { attempt, BenchFailure } from "../BenchFailure.ts"
import * as Child from "../Child.ts"
import { Answer, type Job, type Outcome } from "./LoadJob.ts"

/** Runs one job to its end. Fails when a response is not the expected one, or when it takes longer than ten minutes. */
export type Load = (job: Job) => Effect.Effect<Outcome, BenchFailure>

const limit = "10 minutes"
const decode = Schema.decodeUnknownPromise(Answer)

/** Starts a load generator. It takes one job at a time. */
export const start = (log: string): Effect.Effect<Load, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const script = fileURLToPath(new URL("LoadGenerator.ts", import.meta.url))
    const child = yield* Child.spawnNode({ script, arguments: [], log })
    return (job) =>
      Effect.gen(function* () {
        const next = Child.nextMessage(child)
        yield* Effect.sync(() => child.process.send(job))
        const message = yield* next.pipe(
          Effect.timeoutOrElse({
            duration: limit,
            orElse: () => Effect.fail(new BenchFailure({ message: `The load did not end within ${limit}.` }))
          })
        )
        const answer = yield* attempt("The load generator's answer", () => decode(message))
        return "outcome" in answer ? answer.outcome : yield* new BenchFailure({ message: answer.error })
      })
  })
