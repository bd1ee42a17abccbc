/**
 * Runs a thousand random commands on the API and on the model; ten thousand with HOLDFAST_FULL=1.
 */
import { UsageRepository } from "@holdfast/core/usage/UsageRepository"
import * as fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import * as Commands from "./Commands.ts"
import * as UploadCommands from "./UploadCommands.ts"
import * as Model from "./Model.ts"

/** The seed of the first round. A run prints its seed; set FC_SEED to it to repeat the run. */
const seed = process.env["FC_SEED"] === undefined ? undefined : Number(process.env["FC_SEED"])

const isFull = process.env["HOLDFAST_FULL"] === "1"

const minimumCommands = isFull ? 10_000 : 1000
const timeout = isFull ? 1_200_000 : 120_000

describe("API and model", () => {
  let server: TestServer.TestServer
  beforeAll(async () => {
    server = await TestServer.start()
  })
  afterAll(() => server.close())

  /** Returns the owners whose usage counters differ from what they count. */
  const findDrifts = async (owner: "tenant" | "bucket"): Promise<ReadonlyArray<unknown>> => {
    const { drifts, last } = await server.run(
      UsageRepository.use((usage) => usage.recount({ owner, limit: 100_000, repair: false }))
    )
    assert.isNull(last)
    return drifts
  }

  it(`${minimumCommands} random commands → the same results as the model`, { timeout }, async () => {
    const { tenantId } = await server.makeTenant()
    let count = 0
    const all = [...Commands.all, ...UploadCommands.all]
    const property = fc.asyncProperty(fc.commands(all, { maxCommands: 80, size: "max" }), (commands) =>
      fc.asyncModelRun(async () => {
        const { bucketId } = await server.makeBucket(tenantId)
        const path = `/tenants/${tenantId}/buckets/${bucketId}/files`
        const real = { requests: server, bucket: { tenantId, bucketId }, path, count: () => void count++ }
        return { model: Model.empty(), real }
      }, commands)
    )
    let round = seed ?? Math.floor(Math.random() * 0x7fffffff)
    process.stdout.write(`model test: FC_SEED=${round}\n`)
    const isIncomplete = () => count < minimumCommands
    while (isIncomplete()) {
      await fc.assert(property, { seed: round, numRuns: 10, endOnFailure: false })
      round++
    }
    assert.isAtLeast(count, minimumCommands)
    assert.deepStrictEqual([await findDrifts("bucket"), await findDrifts("tenant")], [[], []])
  })
})
