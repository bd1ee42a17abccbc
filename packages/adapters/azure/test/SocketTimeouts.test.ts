import { assert, describe, it } from "@effect/vitest"
import * as ScriptedServer from "@holdfast/testing/servers/ScriptedServer"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { Agent, get } from "node:http"
import * as SocketTimeouts from "../src/internal/client/SocketTimeouts.ts"

describe("SocketTimeouts", () => {
  it.live("reused connection transfers nothing → ETIMEDOUT", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* ScriptedServer.open(({ url }, response) => {
        if (url.pathname === "/answered") response.writeHead(204).end()
      })
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent({ keepAlive: true })),
        (agent) => Effect.sync(() => agent.destroy())
      )
      // Long enough for the first response on a busy machine.
      SocketTimeouts.install(agent, { connect: 3_600_000, idle: 2000 })
      yield* Effect.promise(async () => {
        const free = once(agent, "free")
        get(`${endpoint}/answered`, { agent }).once("response", (response) => response.resume())
        await free
      })
      const silent = get(`${endpoint}/silent`, { agent })
      const [error] = yield* Effect.promise(() => once(silent, "error", { signal: AbortSignal.timeout(20_000) }))
      assert.isTrue(silent.reusedSocket)
      assert.strictEqual(error.code, "ETIMEDOUT")
    })
  )
})
