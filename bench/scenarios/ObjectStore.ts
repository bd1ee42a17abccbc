/**
 * A service whose contents are in an object store: small ones, read and written.
 */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attempt } from "../support/BenchFailure.ts"
import * as BareSdk from "../support/baselines/BareSdk.ts"
import * as Child from "../support/Child.ts"
import * as CpuMeter from "../support/stats/CpuMeter.ts"
import * as HoldfastProcess from "../support/fixtures/HoldfastProcess.ts"
import * as Requests from "../support/load/Requests.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import { connections, smallBytes } from "../support/fixtures/Sizes.ts"
import type { Scenario, Stage } from "../support/Stage.ts"
import * as Subjects from "../support/load/Subjects.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"

const bucket = "contents"

const decode = Schema.decodeUnknownPromise(Schema.Struct({ port: Schema.Int }))

/** The baseline and the service on one bucket. */
const start = Effect.fnUntraced(function* ({ database, directory, load, profile }: Stage) {
  const { gateway, run } = yield* BareSdk.start(join(directory, "sdk.log"))
  yield* run({ bucket, file: "", count: 0, concurrency: 1 })
  const script = fileURLToPath(new URL("../support/baselines/BareCloud.ts", import.meta.url))
  const input = [JSON.stringify(gateway), bucket, String(smallBytes)]
  const bare = yield* Child.spawnNode({ script, arguments: input, log: join(directory, "cloud.log") })
  const message = yield* Child.nextMessage(bare)
  const { port } = yield* attempt("The baseline's address", () => decode(message))

  const data = join(directory, "holdfast")
  const instance = yield* database.create(data)
  const environment = {
    ...instance.environment,
    HOLDFAST_BLOBS: "s3",
    HOLDFAST_S3_BUCKET: bucket,
    HOLDFAST_S3_ENDPOINT: gateway.endpoint,
    HOLDFAST_S3_FORCE_PATH_STYLE: "on",
    HOLDFAST_S3_ACCESS_KEY_ID: gateway.accessKeyId,
    HOLDFAST_S3_SECRET_ACCESS_KEY: gateway.secretAccessKey,
    HOLDFAST_SECRET_KEY: randomBytes(32).toString("base64")
  }
  const rootKey = yield* HoldfastProcess.mintRootKey
  const holdfast = yield* HoldfastProcess.start({
    directory: data,
    database: { ...instance, environment },
    profile,
    rootKey
  })
  return {
    holdfast,
    tenancy: yield* Tenancy.make(holdfast),
    onBare: { load, port, cpu: CpuMeter.ofProcess(bare.pid) },
    onHoldfast: { load, port: holdfast.port, cpu: CpuMeter.ofProcess(holdfast.pid), databaseCpu: instance.cpu }
  }
})

export const objectStore: Scenario = {
  name: "object-store",
  about: "GET …/view and POST …/reupload of 4 KiB with contents in S3, against node:http and the SDK",
  run: Effect.fnUntraced(function* (stage) {
    const { holdfast, onBare, onHoldfast, tenancy } = yield* start(stage)
    const { rounds, writes: count } = stage.sizes
    const common = { connections, count, warmUp: count, unitsPerRequest: 1 }
    const about = { database: stage.database.name, unit: "request" as const, goal: null }
    const id = yield* Tenancy.store(stage.load, holdfast, tenancy, smallBytes)
    const viewed = yield* Rounds.compare(
      { ...about, scenario: "view 4 KiB from S3" },
      Subjects.make({ ...onBare, ...common, name: "SDK", status: 200, requests: [Requests.get("/object")] }),
      Subjects.make({
        ...onHoldfast,
        ...common,
        name: "view",
        status: 200,
        requests: [Requests.get(tenancy.files(`/${id}/view`))]
      }),
      rounds
    )
    const ids = yield* Tenancy.reserveEach(tenancy, connections)
    const stored = yield* Rounds.compare(
      { ...about, scenario: "upload 4 KiB to S3" },
      Subjects.make({
        ...onBare,
        ...common,
        name: "SDK",
        status: 201,
        requests: [Requests.postBytes("/object", smallBytes)]
      }),
      Subjects.make({
        ...onHoldfast,
        ...common,
        name: "reupload",
        status: 200,
        requests: ids.map((id) => Requests.postBytes(tenancy.files(`/${id}/reupload`), smallBytes))
      }),
      rounds
    )
    return [...viewed, ...stored]
  })
}
