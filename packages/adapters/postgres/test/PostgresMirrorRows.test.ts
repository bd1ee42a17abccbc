import { expect, layer, vi } from "@effect/vitest"
import * as LargeMirrors from "@holdfast/testing/metadata/mirrors/LargeMirrors"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Plans from "./support/Plans.ts"
import * as Store from "./support/Store.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

/** Statements that only read. Both mirrors have more files than are counted. */
const reads = ["due", "find", "filesPending", "filesFailed", "filesCopied"] as const

requires(Server.missing).describe("rows that statements of mirrors read on PostgreSQL", () =>
  layer(Store.layer("C.UTF-8"), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("mirrors with 4,000 and with 40,000 files → reads touch as many rows", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const countRows = Effect.fnUntraced(function* (count: number) {
          const recorded = yield* LargeMirrors.statements(yield* LargeMirrors.make(count))
          yield* sql`VACUUM ANALYZE`
          const rows = yield* Effect.forEach(reads, (name) =>
            Effect.map(Plans.executed(recorded[name]), (steps) =>
              steps.reduce((sum, step) => sum + Plans.rowsRead(step), 0)
            )
          )
          return Object.fromEntries(reads.map((name, index) => [name, rows[index] ?? 0]))
        })
        const few = yield* countRows(4000)
        const many = yield* countRows(40_000)
        for (const name of reads)
          expect([name, many[name]]).toEqual([
            name,
            expect.toSatisfy((rows: number) => rows <= 1.5 * (few[name] ?? 0) + 20)
          ])
      })
    )
  })
)
