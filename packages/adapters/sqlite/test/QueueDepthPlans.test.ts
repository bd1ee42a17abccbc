import { expect, it, layer } from "@effect/vitest"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as LargeQueues from "@holdfast/testing/metadata/queues/LargeQueues"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"

const count = 10_000

layer(SqliteMetadata.layer({ file: ":memory:" }))("query plans of the queue depths", (it) => {
  it.effect("queue depths of 10,000 rows → index searches without a sort", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* LargeQueues.make(count)
      for (const isAnalysed of [false, true]) {
        if (isAnalysed) yield* sql`ANALYZE`
        const recorded = yield* LargeQueues.statements(count, 100)
        expect(Object.values(recorded).map(({ length }) => length)).toEqual([1, 1])
        const plans = yield* Effect.forEach(Object.values(recorded).flat(), ([text, parameters]) =>
          sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, parameters)
        )
        const details = plans.flat().map(({ detail }) => detail)
        const read = details.filter((detail) => /^(SCAN|SEARCH) (t|conversion|blob|file)\b/.test(detail))
        expect(read.toSorted()).toEqual([
          "SEARCH blob USING INDEX sqlite_autoindex_blob_1 (id=?)",
          "SEARCH conversion USING INDEX conversion_due (due_at<?)",
          "SEARCH conversion USING INDEX conversion_due (due_at>?)",
          ...Array.from({ length: 3 }, () => "SEARCH t USING INDEX mirror_task_due (mirror_id=?)")
        ])
        expect(details.join("\n")).not.toContain("TEMP B-TREE")
      }
    })
  )

  it.effect("claim of a conversion, 10,000 are queued → index searches; no table is scanned", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* LargeQueues.makeTurns(count)
      for (const isAnalysed of [false, true]) {
        if (isAnalysed) yield* sql`ANALYZE`
        const statements = (yield* LargeQueues.claims).flat()
        const plans = yield* Effect.forEach(statements, ([text, parameters]) =>
          sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, parameters)
        )
        const details = plans.flat().map(({ detail }) => detail)
        expect(details.filter((detail) => /^SCAN (conversion|blob|file|other)\b/.test(detail))).toEqual([])
        expect(details.join("\n")).toContain("conversion_turn (tenant_id=? AND due_at<?)")
        expect(details.join("\n")).toContain("conversion_running (tenant_id=? AND due_at>?)")
      }
    })
  )
})

it.effect("claim of a conversion, more tenants wait than one statement visits → all are served, none twice", () =>
  Effect.gen(function* () {
    const tenants = 1200
    yield* LargeQueues.makeTenants(tenants)
    const { claim } = yield* ConversionRepository
    const now = Sample.at()
    const claimNext = claim({ now, leaseUntil: DateTime.add(now, { minutes: 1 }), sweepAt: now })
    const claims = yield* Effect.forEach(Array.from({ length: tenants }), () => claimNext)
    const served = new Set(claims.flatMap(Option.toArray).map(({ tenantId }) => tenantId))
    expect(served.size).toBe(tenants)
    expect(yield* claimNext).toEqual(Option.none())
  }).pipe(Effect.provide(Layer.fresh(SqliteMetadata.layer({ file: ":memory:" }))))
)
