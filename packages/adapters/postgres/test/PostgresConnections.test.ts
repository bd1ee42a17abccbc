import { assert, layer, vi } from "@effect/vitest"
import { onBehalfOf } from "@holdfast/core/CurrentTenant"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Postgres from "../src/Postgres.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const servers = Layer.merge(Server.layer({ locale: "C.UTF-8" }), Reactivity.layer)

requires(Server.missing).describe("PostgreSQL connections", () =>
  layer(servers, { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("client with multiplex: no statement yet → all connections open; otherwise none", () =>
      Effect.gen(function* () {
        const url = yield* (yield* Server.Postgres).createDatabase
        const sql = yield* Postgres.make({ url, applicationName: "observer" })
        yield* Postgres.make({ url, applicationName: "several" })
        yield* Postgres.make({ url, applicationName: "shared", maxConnections: 3, multiplex: true })
        const names = Effect.map(
          sql<{ readonly name: string }>`SELECT application_name AS name FROM pg_stat_activity
            WHERE datname = current_database() AND application_name <> 'observer'`,
          (rows) => rows.map(({ name }) => name)
        )
        while ((yield* names).length < 3) yield* Effect.sleep(10)
        assert.deepStrictEqual(yield* names, ["shared", "shared", "shared"])
      })
    )

    for (const statementTimeout of [undefined, "1 minute" as const]) {
      it.effect(
        `client with multiplex, timeout ${statementTimeout}: a tenant has much work → another one gets its turn`,
        () =>
          Effect.gen(function* () {
            const url = yield* (yield* Server.Postgres).createDatabase
            const sql = yield* Postgres.make({ url, maxConnections: 1, multiplex: true, statementTimeout })
            yield* sql`SELECT 1`
            let completed = 0
            const work = Effect.tap(sql`SELECT pg_sleep(0.005)`, () => Effect.sync(() => void completed++))
            const all = yield* Effect.forkScoped(
              onBehalfOf("busy")(
                Effect.all(
                  Array.from({ length: 300 }, () => work),
                  { concurrency: "unbounded" }
                )
              ),
              { startImmediately: true }
            )
            yield* onBehalfOf("other")(sql`SELECT 1`)
            // The connection runs at most 32 statements at once, in the order of their arrival.
            assert.isAtMost(completed, 32)
            yield* Fiber.join(all)
            assert.strictEqual(completed, 300)
          })
      )
    }
  })
)
