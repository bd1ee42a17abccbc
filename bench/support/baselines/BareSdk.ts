/**
 * A gateway of the S3 protocol, and the process with the bare SDK that puts to it.
 */
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import { attempt, BenchFailure } from "../BenchFailure.ts"
import * as Child from "../Child.ts"
import { Answer, type Gateway, type Job } from "./PutJob.ts"

export interface BareSdk {
  readonly pid: number
  readonly gateway: Gateway
  /** Does one job to its end; how long it took without the making of the bucket. */
  readonly run: (job: Job) => Effect.Effect<number, BenchFailure>
}

/** Bytes that the gateway keeps, in memory. */
const capacity = 10 * 1024 ** 3
const decode = Schema.decodeUnknownPromise(Answer)

export const start = (log: string): Effect.Effect<BareSdk, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    if (CephRgw.missing !== undefined) return yield* new BenchFailure({ message: CephRgw.missing })
    const { credentials, endpoint } = yield* Layer.build(CephRgw.layerOf(capacity)).pipe(
      Effect.flatMap((services) => Effect.provideContext(CephRgw.CephRgw, services)),
      Effect.mapError(({ message }) => new BenchFailure({ message }))
    )
    const { accessKeyId } = credentials
    const gateway = { endpoint, accessKeyId, secretAccessKey: Redacted.value(credentials.secretAccessKey) }
    const script = fileURLToPath(new URL("BarePuts.ts", import.meta.url))
    const child = yield* Child.spawnNode({ script, arguments: [JSON.stringify(gateway)], log })
    yield* Child.nextMessage(child)
    return {
      pid: child.pid,
      gateway,
      run: (job) =>
        Effect.gen(function* () {
          const next = Child.nextMessage(child)
          child.process.send(job)
          const message = yield* next
          const answer = yield* attempt("The answer of the bare SDK", () => decode(message))
          return "wallMs" in answer ? answer.wallMs : yield* new BenchFailure({ message: answer.error })
        })
    }
  })
