import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { Agent, get } from "node:http"
import * as SocketTimeouts from "../src/client/SocketTimeouts.ts"
import * as Service from "./support/Service.ts"

describe("SocketTimeouts", () => {
  it.live("watch a connection in each of its uses", () =>
    Effect.gen(function* () {
      const { account } = yield* Service.serve(({ url }, response) => {
        if (url.pathname === "/answered") response.writeHead(204).end()
      })
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent({ keepAlive: true })),
        (agent) => Effect.sync(() => agent.destroy())
      )
      // Enough for the first answer on a busy machine.
      SocketTimeouts.install(agent, { connect: 3_600_000, idle: 2000 })
      yield* Effect.promise(async () => {
        const free = once(agent, "free")
        get(`${account.endpoint}/answered`, { agent }).once("response", (response) => response.resume())
        await free
      })
      const mute = get(`${account.endpoint}/mute`, { agent })
      const [error] = yield* Effect.promise(() => once(mute, "error", { signal: AbortSignal.timeout(20_000) }))
      assert.isTrue(mute.reusedSocket)
      assert.strictEqual(error.code, "ETIMEDOUT")
    })
  )
})
