/**
 * Measures reading a small file with a valid key: over one connection, where requests never overlap, and over many.
 */
import * as Effect from "effect/Effect"
import * as ServerPair from "../../support/fixtures/ServerPair.ts"
import { connections, smallBytes } from "../../support/fixtures/Sizes.ts"
import * as Tenancy from "../../support/fixtures/Tenancy.ts"
import * as LoadSubject from "../../support/load/LoadSubject.ts"
import * as Requests from "../../support/load/Requests.ts"
import type { Scenario } from "../../support/run/Scenario.ts"
import type { Comparison } from "../../support/stats/Comparison.ts"
import * as Rounds from "../../support/stats/Rounds.ts"

export const view: Scenario = {
  name: "view",
  description: "GET …/view of 4 KiB with its key checked, against open, read and close of such a file",
  run: Effect.fnUntraced(function* (context) {
    const { baseline, service } = yield* ServerPair.start(context, [{ name: "small", bytes: smallBytes }])
    const id = yield* Tenancy.store(service, smallBytes)
    const path = service.tenancy.files(`/${id}/view`)
    const { requests: count, rounds } = context.sizes
    const results: Array<Comparison> = []
    for (const [amount, title] of [
      [1, "1 connection"],
      [connections, `${connections} connections`]
    ] as const) {
      const common = { connections: amount, status: 200, count, warmUp: count, unitsPerRequest: 1 }
      results.push(
        ...(yield* Rounds.compare(
          { scenario: `view 4 KiB, ${title}`, database: context.database.name, unit: "request", goal: 1.2 },
          LoadSubject.make({ ...baseline, ...common, name: "open+read+close", requests: [Requests.get("/small")] }),
          LoadSubject.make({ ...service, ...common, name: "view", requests: [Requests.get(path)] }),
          rounds
        ))
      )
    }
    return results
  })
}
