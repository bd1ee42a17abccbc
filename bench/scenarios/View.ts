/**
 * A small file, shown to who has a key for it: over one connection, where each request is alone, and over many.
 */
import * as Effect from "effect/Effect"
import type { Comparison } from "../support/stats/Comparison.ts"
import * as Pair from "../support/stats/Pair.ts"
import * as Requests from "../support/load/Requests.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import { connections, smallBytes } from "../support/fixtures/Sizes.ts"
import type { Scenario } from "../support/Stage.ts"
import * as Subjects from "../support/load/Subjects.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"

export const view: Scenario = {
  name: "view",
  about: "GET …/view of 4 KiB with its key checked, against open, read and close of such a file",
  run: Effect.fnUntraced(function* (stage) {
    const { holdfast, onBare, onHoldfast, tenancy } = yield* Pair.start(stage, [{ name: "small", bytes: smallBytes }])
    const id = yield* Tenancy.store(stage.load, holdfast, tenancy, smallBytes)
    const { requests: count, rounds } = stage.sizes
    const results: Array<Comparison> = []
    for (const [amount, title] of [
      [1, "1 connection"],
      [connections, `${connections} connections`]
    ] as const) {
      const common = { connections: amount, status: 200, count, warmUp: count, unitsPerRequest: 1 }
      const path = tenancy.files(`/${id}/view`)
      results.push(
        ...(yield* Rounds.compare(
          { scenario: `view 4 KiB, ${title}`, database: stage.database.name, unit: "request", goal: 2 },
          Subjects.make({ ...onBare, ...common, name: "open+read+close", requests: [Requests.get("/small")] }),
          Subjects.make({ ...onHoldfast, ...common, name: "view", requests: [Requests.get(path)] }),
          rounds
        ))
      )
    }
    return results
  })
}
