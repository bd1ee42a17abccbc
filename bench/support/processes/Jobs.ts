/**
 * Jobs that this process sends to a child, one at a time, and their results.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attempt, BenchFailure } from "../run/BenchFailure.ts"
import * as ChildProcess from "./ChildProcess.ts"

/** The messages of one kind of job. */
export interface Protocol<Job, Result> {
  readonly job: Schema.Codec<Job, unknown>
  readonly result: Schema.Codec<Result, unknown>
}

const Failed = Schema.Struct({ error: Schema.String })

/** The longest time that a job may take. */
const timeout = "10 minutes"

/**
 * Returns a function that sends a job to a child and waits for its result. The child must run `serve` with the same
 * protocol. The function fails when the job fails or takes longer than ten minutes.
 */
export const makeSend = <Job, Result>(
  protocol: Protocol<Job, Result>,
  child: ChildProcess.ChildProcess
): ((job: Job) => Effect.Effect<Result, BenchFailure>) => {
  const decode = Schema.decodeUnknownPromise(Schema.Union([Schema.Struct({ result: protocol.result }), Failed]))
  return Effect.fnUntraced(function* (job: Job) {
    const reply = ChildProcess.nextMessage(child)
    yield* Effect.sync(() => child.process.send(job as object))
    const message = yield* reply.pipe(
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => Effect.fail(new BenchFailure({ message: `A job did not finish within ${timeout}.` }))
      })
    )
    const answer = yield* attempt("The answer to a job", () => decode(message))
    return "result" in answer ? answer.result : yield* new BenchFailure({ message: answer.error })
  })
}

/** Runs the jobs that the parent process sends, and exits together with the parent. */
export const serve = <Job, Result>(protocol: Protocol<Job, Result>, run: (job: Job) => Promise<Result>): void => {
  const decode = Schema.decodeUnknownPromise(protocol.job)
  process.on("message", (message) => {
    decode(message)
      .then(run)
      .then(
        (result) => process.send?.({ result }),
        (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) })
      )
  })
  process.on("disconnect", () => process.exit())
}
