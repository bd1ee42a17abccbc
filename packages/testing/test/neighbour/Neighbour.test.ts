import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import * as Neighbour from "../../src/neighbour/Neighbour.ts"
import * as Waits from "../../src/neighbour/Waits.ts"

/** Serves until the scope closes. Returns the URL. */
const serve = (listener: RequestListener) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(listener).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => void server.close().closeAllConnections())
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  )

describe("neighbour", () => {
  it.live("server stalls → its requests wait for the stall, those that were due meanwhile too", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const url = yield* serve((_, response) => void response.end("x"))
        const stall = Effect.sync(() => {
          const end = performance.now() + 400
          while (performance.now() < end);
          return "stalled"
        })
        const work = Effect.andThen(Effect.sleep(50), stall)
        const { neighbour, reference, result } = yield* Neighbour.observe({ url, intervalMs: 5 }, work)
        assert.strictEqual(result, "stalled")
        assert.isAtLeast(neighbour.worstMs, 350)
        assert.strictEqual(reference.failures, 0)
        // Every request that was due meanwhile waited, not only the one that was on its way.
        assert.isAtLeast(neighbour.p99Ms, 300)
        assert.strictEqual(neighbour.failures, 0)
      })
    )
  )

  it.live("server refuses, or cuts the connection → counted as failures, with the first reason", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const seen = { isBroken: false, requests: 0 }
        const url = yield* serve((request, response) => {
          if (!seen.isBroken) return void response.end("x")
          if (++seen.requests % 2 === 0) return void request.socket.destroy()
          response.statusCode = 503
          response.end("busy")
        })
        const work = Effect.gen(function* () {
          seen.isBroken = true
          while (seen.requests < 200) yield* Effect.sleep(5)
        })
        const { neighbour } = yield* Neighbour.observe({ url, intervalMs: 5 }, work)
        assert.isAtLeast(neighbour.failures, 15)
        assert.match(String(neighbour.firstFailure), /^503 busy|socket hang up|ECONNRESET/)
      })
    )
  )

  it("statistics: bare server waited at the same moment → only the difference counts", () => {
    const waits = [
      { dueMs: 0, waitMs: 500 },
      { dueMs: 1000, waitMs: 120 },
      { dueMs: 2000, waitMs: 70 }
    ]
    const reference = [
      { dueMs: 1050, waitMs: 90 },
      { dueMs: 1500, waitMs: 400 },
      { dueMs: 2000, waitMs: 2 }
    ]
    assert.strictEqual(Waits.worstBeyond(waits, reference), 500)
    assert.strictEqual(Waits.worstBeyond(waits, reference, 500), 68)
    assert.strictEqual(Waits.worstBeyond([], reference), 0)
  })

  it("statistics: requests before the observation do not count", () => {
    const all = Array.from({ length: 1000 }, (_, index) => ({ dueMs: index, waitMs: index < 500 ? 900 : index / 100 }))
    const waits = Waits.summarise(all, 500)
    assert.deepStrictEqual(waits, {
      requests: 500,
      medianMs: 7.49,
      p99Ms: 9.94,
      p999Ms: 9.99,
      worstMs: 9.99,
      worstAtMs: 499,
      failures: 0,
      firstFailure: undefined
    })
  })
})
