/**
 * Starts a server of the S3 protocol, and the process that uploads to it with the bare SDK.
 */
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as ChildProcess from "../processes/ChildProcess.ts"
import * as Jobs from "../processes/Jobs.ts"
import { BenchFailure } from "../run/BenchFailure.ts"
import { type Gateway, protocol, type SdkUploadJob, type SdkUploadResult } from "./SdkUploadJob.ts"

export interface SdkUploadsProcess {
  readonly pid: number
  readonly gateway: Gateway
  readonly run: (job: SdkUploadJob) => Effect.Effect<SdkUploadResult, BenchFailure>
}

/** Bytes that the gateway can store, in memory. */
const capacity = 10 * 1024 ** 3

/** Starts both. The output of the process goes to the log. */
export const start = (log: string): Effect.Effect<SdkUploadsProcess, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    if (CephRgw.missing !== undefined) return yield* new BenchFailure({ message: CephRgw.missing })
    const { credentials, endpoint } = yield* Layer.build(CephRgw.layerWithMemory(capacity)).pipe(
      Effect.flatMap((services) => Effect.provideContext(CephRgw.CephRgw, services)),
      Effect.mapError(({ message }) => new BenchFailure({ message }))
    )
    const { accessKeyId } = credentials
    const gateway = { endpoint, accessKeyId, secretAccessKey: Redacted.value(credentials.secretAccessKey) }
    const script = fileURLToPath(new URL("SdkUploads.ts", import.meta.url))
    const child = yield* ChildProcess.spawnNode({ script, arguments: [JSON.stringify(gateway)], log })
    // The process is ready to run jobs.
    yield* ChildProcess.nextMessage(child)
    return { pid: child.pid, gateway, run: Jobs.makeSend(protocol, child) }
  })

/** Creates a bucket and uploads nothing. */
export const createBucket = ({ run }: SdkUploadsProcess, bucket: string): Effect.Effect<void, BenchFailure> =>
  Effect.asVoid(run({ bucket, file: "", count: 0, concurrency: 1 }))
