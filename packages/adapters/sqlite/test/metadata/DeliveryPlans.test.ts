import { expect, layer } from "@effect/vitest"
import { DeliveryRepository } from "@holdfast/core/webhooks/DeliveryRepository"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Statements from "@holdfast/testing/metadata/Statements"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../../src/SqliteMetadata.ts"

layer(SqliteMetadata.layer({ file: ":memory:" }))("query plans of deliveries", (it) => {
  it.effect("list with a state → reads the deliveries in this state, in their order", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const webhook = { tenantId: Sample.id("ten"), webhookId: Sample.id("whk") }
      const { list } = yield* DeliveryRepository
      const recorded = yield* Statements.record(list({ webhook, state: "FAILED", after: Sample.id("evt"), limit: 10 }))
      expect(recorded).toHaveLength(1)
      for (const [text, parameters] of recorded) {
        const plan = yield* sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, parameters)
        expect(plan.map(({ detail }) => detail)).toEqual([
          "SEARCH webhook_delivery USING INDEX webhook_delivery_state (webhook_id=? AND state=? AND event_id<?)"
        ])
      }
    })
  )
})
