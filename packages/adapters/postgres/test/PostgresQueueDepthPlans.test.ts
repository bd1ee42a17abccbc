import { expect, layer, vi } from "@effect/vitest"
import * as LargeQueues from "@holdfast/testing/metadata/queues/LargeQueues"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Plans from "./support/Plans.ts"
import * as Store from "./support/Store.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const count = 40_000
const limit = 500

/** The rows at both ends of the queues of two mirrors. */
const endRows = 2 * 2 * 50

requires(Server.missing).describe("query plans of the queue depths on PostgreSQL", () =>
  layer(Store.layer("en_US.UTF-8"), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("queue depths of 40,000 rows → no more rows read than counted", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* LargeQueues.make(count)
        for (const isAnalysed of [false, true]) {
          if (isAnalysed) yield* sql`ANALYZE`
          const recorded = yield* LargeQueues.statements(count, limit)
          expect(Object.values(recorded).map(({ length }) => length)).toEqual([1, 1])
          const read = yield* Plans.executed(Object.values(recorded).flat())
          const of = (table: string) => {
            const some = read.filter((step) => step["Relation Name"] === table)
            return {
              indexes: [...new Set(some.map((step) => step["Index Name"]))],
              rows: some.reduce((sum, step) => sum + Plans.rowsRead(step), 0)
            }
          }
          expect(of("mirror_task")).toEqual({ indexes: ["mirror_task_due"], rows: limit + endRows })
          expect(of("conversion")).toEqual({ indexes: ["conversion_due"], rows: 2 * limit })
          expect(of("blob")).toEqual({ indexes: ["blob_pkey"], rows: 2 * limit })
          expect(of("file").rows).toBe(0)
        }
      })
    )

    it.effect("claim of a conversion, 20,000 are queued → a bounded number of rows is read", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* LargeQueues.makeTurns(20_000)
        for (const isAnalysed of [false, true]) {
          if (isAnalysed) yield* sql`ANALYZE`
          const [, second] = yield* LargeQueues.claims
          const searches = second.filter(([text]) => !text.startsWith("UPDATE") && !text.startsWith("DELETE"))
          expect(searches.length).toBeGreaterThan(1)
          const read = yield* Plans.executed(searches)
          const rows = read
            .filter((step) => step["Relation Name"] !== undefined)
            .reduce((sum, step) => sum + Plans.rowsRead(step), 0)
          expect(rows).toBeLessThan(400)
        }
      })
    )
  })
)
