/**
 * Measures reading the record of a file, as JSON.
 */
import * as Effect from "effect/Effect"
import * as ServerPair from "../support/fixtures/ServerPair.ts"
import { connections, smallBytes } from "../support/fixtures/Sizes.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"
import * as LoadSubject from "../support/load/LoadSubject.ts"
import * as Requests from "../support/load/Requests.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Rounds from "../support/stats/Rounds.ts"

export const record: Scenario = {
  name: "record",
  description: "GET of a file's record, against a constant JSON text of the same length",
  run: Effect.fnUntraced(function* (context) {
    const { baseline, service } = yield* ServerPair.start(context)
    const id = yield* Tenancy.store(service, smallBytes)
    const path = service.tenancy.files(`/${id}`)
    const { requests: count, rounds } = context.sizes
    const common = { connections, status: 200, count, warmUp: count, unitsPerRequest: 1 }
    return yield* Rounds.compare(
      { scenario: "record as JSON", database: context.database.name, unit: "request", goal: 4 },
      LoadSubject.make({ ...baseline, ...common, name: "constant JSON", requests: [Requests.get("/constant")] }),
      LoadSubject.make({ ...service, ...common, name: "record", requests: [Requests.get(path)] }),
      rounds
    )
  })
}
