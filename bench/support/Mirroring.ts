/**
 * Mirrors of the service, asked for as its callers do.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import { attempt, type BenchFailure } from "./BenchFailure.ts"
import type { Instance } from "./Database.ts"
import * as HoldfastProcess from "./HoldfastProcess.ts"
import type { Gateway } from "./PutJob.ts"
import type { Stage } from "./Stage.ts"
import * as Tenancy from "./Tenancy.ts"

/** A service whose mirrors may lead to this machine. */
export interface Node {
  readonly holdfast: HoldfastProcess.Holdfast
  readonly tenancy: Tenancy.Tenancy
  readonly database: Instance
}

export const start = (stage: Stage): Effect.Effect<Node, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const directory = join(stage.directory, "holdfast")
    const database = yield* stage.database.create(directory)
    const environment = { ...database.environment, HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" }
    const holdfast = yield* HoldfastProcess.start({
      directory,
      database: { ...database, environment },
      profile: stage.profile,
      rootKey: yield* HoldfastProcess.mintRootKey
    })
    return { holdfast, database, tenancy: yield* Tenancy.make(holdfast) }
  })

const Mirror = Schema.Struct({
  id: Schema.String,
  stats: Schema.Struct({
    pending: Schema.Int,
    copied: Schema.Int,
    failed: Schema.Int,
    lastError: Schema.NullOr(Schema.String)
  })
})

const ask = ({ holdfast, tenancy }: Node, method: string, bucketId: string, below: string, body?: unknown) =>
  attempt(`${method} mirrors${below}`, async () => {
    const url = `http://127.0.0.1:${holdfast.port}${tenancy.path(`buckets/${bucketId}/mirrors${below}`)}`
    const headers = { "content-type": "application/json" }
    const answer = await fetch(url, { method, ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${answer.status} ${text}`)
    return text === "" ? undefined : JSON.parse(text)
  })

const decoded = (answer: Effect.Effect<unknown, BenchFailure>) =>
  Effect.flatMap(answer, (answer) => attempt("A mirror", () => Schema.decodeUnknownPromise(Mirror)(answer)))

/** Makes a mirror of a bucket to one of the gateway, which is not asked first. */
export const create = (node: Node, bucketId: string, gateway: Gateway, bucketName: string) =>
  Effect.map(
    decoded(
      ask(node, "POST", bucketId, "", {
        ...gateway,
        type: "S3",
        name: "bench",
        region: "us-east-1",
        bucketName,
        forcePathStyle: true,
        verify: false
      })
    ),
    ({ id }) => id
  )

export const pause = (node: Node, bucketId: string, id: string) =>
  Effect.asVoid(ask(node, "PATCH", bucketId, `/${id}`, { paused: true }))

export const remove = (node: Node, bucketId: string, id: string) =>
  Effect.asVoid(ask(node, "DELETE", bucketId, `/${id}`))

/** Asked for rarely, so that the asking costs nothing. */
const interval = "200 millis"

/** Waits until so many files are copied, and nothing is pending. */
export const settled = (node: Node, bucketId: string, id: string, files: number) =>
  Effect.gen(function* () {
    while (true) {
      const { stats } = yield* decoded(ask(node, "GET", bucketId, `/${id}`))
      if (stats.pending === 0 && stats.copied === files) return
      yield* Effect.sleep(interval)
    }
  })

/** A gateway that nobody runs. */
export const nowhere: Gateway = { endpoint: "http://127.0.0.1:9", accessKeyId: "nobody", secretAccessKey: "nothing" }
