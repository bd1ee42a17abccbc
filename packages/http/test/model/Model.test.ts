/**
 * A thousand random commands: whatever the order, the API says what the model says.
 */
import * as fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import * as Commands from "./Commands.ts"
import * as Model from "./Model.ts"

/** A failing run prints its seed; given as FC_SEED it is run again. */
const seed = process.env["FC_SEED"] === undefined ? undefined : Number(process.env["FC_SEED"])

const wanted = 1000

describe("the API against a model", () => {
  let server: TestServer.TestServer
  beforeAll(async () => {
    server = await TestServer.start()
  })
  afterAll(() => server.close())

  it(`agrees on ${wanted} commands`, { timeout: 120_000 }, async () => {
    const { tenantId } = await server.makeTenant()
    let count = 0
    const property = fc.asyncProperty(fc.commands(Commands.all, { maxCommands: 80, size: "max" }), (commands) =>
      fc.asyncModelRun(async () => {
        const { bucketId } = await server.makeBucket(tenantId)
        const path = `/tenants/${tenantId}/buckets/${bucketId}/files`
        return { model: Model.empty(), real: { requests: server, path, count: () => void count++ } }
      }, commands)
    )
    let round = seed ?? Math.floor(Math.random() * 0x7fffffff)
    process.stdout.write(`model test: FC_SEED=${round}\n`)
    const isMissing = () => count < wanted
    while (isMissing()) {
      await fc.assert(property, { seed: round, numRuns: 10, endOnFailure: false })
      round++
    }
    assert.isAtLeast(count, wanted)
  })
})
