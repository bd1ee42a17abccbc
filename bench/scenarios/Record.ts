/**
 * The record of a file, as JSON.
 */
import * as Effect from "effect/Effect"
import * as Pair from "../support/stats/Pair.ts"
import * as Requests from "../support/load/Requests.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import { connections, smallBytes } from "../support/fixtures/Sizes.ts"
import type { Scenario } from "../support/Stage.ts"
import * as Subjects from "../support/load/Subjects.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"

export const record: Scenario = {
  name: "record",
  about: "GET of a file's record, against a constant JSON text of the same length",
  run: Effect.fnUntraced(function* (stage) {
    const { holdfast, onBare, onHoldfast, tenancy } = yield* Pair.start(stage)
    const id = yield* Tenancy.store(stage.load, holdfast, tenancy, smallBytes)
    const { requests: count, rounds } = stage.sizes
    const common = { connections, status: 200, count, warmUp: count, unitsPerRequest: 1 }
    return yield* Rounds.compare(
      { scenario: "record as JSON", database: stage.database.name, unit: "request", goal: null },
      Subjects.make({ ...onBare, ...common, name: "constant JSON", requests: [Requests.get("/constant")] }),
      Subjects.make({ ...onHoldfast, ...common, name: "record", requests: [Requests.get(tenancy.files(`/${id}`))] }),
      rounds
    )
  })
}
