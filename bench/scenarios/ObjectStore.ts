/**
 * Measures a service that stores contents in an object store: reading and writing small contents.
 */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as SdkUploadsProcess from "../support/baselines/SdkUploadsProcess.ts"
import * as HoldfastService from "../support/fixtures/HoldfastService.ts"
import { connections, smallBytes } from "../support/fixtures/Sizes.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"
import * as LoadSubject from "../support/load/LoadSubject.ts"
import * as Requests from "../support/load/Requests.ts"
import * as ServerProcess from "../support/processes/ServerProcess.ts"
import type { Scenario, ScenarioContext } from "../support/run/Scenario.ts"
import * as CpuMeter from "../support/stats/CpuMeter.ts"
import * as Rounds from "../support/stats/Rounds.ts"

const bucket = "contents"

/** Starts the baseline and the service on one bucket. */
const start = Effect.fnUntraced(function* (context: ScenarioContext) {
  const { directory, runLoad } = context
  const sdk = yield* SdkUploadsProcess.start(join(directory, "sdk.log"))
  const { gateway } = sdk
  yield* SdkUploadsProcess.createBucket(sdk, bucket)
  const { pid, port } = yield* ServerProcess.start({
    script: fileURLToPath(new URL("../support/baselines/SdkServer.ts", import.meta.url)),
    arguments: [JSON.stringify(gateway), bucket, String(smallBytes)],
    log: join(directory, "cloud.log")
  })
  const service = yield* HoldfastService.start(context, {
    HOLDFAST_BLOBS: "s3",
    HOLDFAST_S3_BUCKET: bucket,
    HOLDFAST_S3_ENDPOINT: gateway.endpoint,
    HOLDFAST_S3_FORCE_PATH_STYLE: "on",
    HOLDFAST_S3_ACCESS_KEY_ID: gateway.accessKeyId,
    HOLDFAST_S3_SECRET_ACCESS_KEY: gateway.secretAccessKey,
    HOLDFAST_SECRET_KEY: randomBytes(32).toString("base64")
  })
  return { baseline: { runLoad, port, cpu: { server: CpuMeter.ofProcess(pid) } }, service }
})

export const objectStore: Scenario = {
  name: "object-store",
  description: "GET …/view and POST …/reupload of 4 KiB with contents in S3, against node:http and the SDK",
  run: Effect.fnUntraced(function* (context) {
    const { baseline, service } = yield* start(context)
    const { tenancy } = service
    const { rounds, writes: count } = context.sizes
    const common = { connections, count, warmUp: count, unitsPerRequest: 1 }
    const about = { database: context.database.name, unit: "request" as const, goal: null }
    const id = yield* Tenancy.store(service, smallBytes)
    const views = [Requests.get(tenancy.files(`/${id}/view`))]
    const viewed = yield* Rounds.compare(
      { ...about, scenario: "view 4 KiB from S3" },
      LoadSubject.make({ ...baseline, ...common, name: "SDK", status: 200, requests: [Requests.get("/object")] }),
      LoadSubject.make({ ...service, ...common, name: "view", status: 200, requests: views }),
      rounds
    )
    const uploads = [Requests.postBytes("/object", smallBytes)]
    const reuploads = yield* Tenancy.reuploads(tenancy, connections, smallBytes)
    const stored = yield* Rounds.compare(
      { ...about, scenario: "upload 4 KiB to S3" },
      LoadSubject.make({ ...baseline, ...common, name: "SDK", status: 201, requests: uploads }),
      LoadSubject.make({ ...service, ...common, name: "reupload", status: 200, requests: reuploads }),
      rounds
    )
    return [...viewed, ...stored]
  })
}
