import { assert, layer, vi } from "@effect/vitest"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
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
  })
)
