/**
 * Measures reading many small files in turn: more than the service keeps in memory.
 */
import * as Effect from "effect/Effect"
import * as ServerPair from "../../support/fixtures/ServerPair.ts"
import { connections, smallBytes } from "../../support/fixtures/Sizes.ts"
import * as Tenancy from "../../support/fixtures/Tenancy.ts"
import * as LoadSubject from "../../support/load/LoadSubject.ts"
import * as Requests from "../../support/load/Requests.ts"
import type { Scenario } from "../../support/run/Scenario.ts"
import * as Rounds from "../../support/stats/Rounds.ts"

export const viewMany: Scenario = {
  name: "view-many",
  description: "GET …/view of 4 KiB of many files in turn, against open, read and close of one such file",
  run: Effect.fnUntraced(function* (context) {
    const { baseline, service } = yield* ServerPair.start(context, [{ name: "small", bytes: smallBytes }])
    const { readFiles, requests: count, rounds } = context.sizes
    const ids = yield* Effect.forEach(
      Array.from({ length: readFiles }, (_, number) => `${number}.bin`),
      (name) => Tenancy.store(service, smallBytes, name)
    )
    const common = { connections, status: 200, count, warmUp: count, unitsPerRequest: 1 }
    return yield* Rounds.compare(
      { scenario: `view 4 KiB of ${readFiles} files`, database: context.database.name, unit: "request", goal: 1.5 },
      LoadSubject.make({ ...baseline, ...common, name: "open+read+close", requests: [Requests.get("/small")] }),
      LoadSubject.make({
        ...service,
        ...common,
        name: "view",
        requests: ids.map((id) => Requests.get(service.tenancy.files(`/${id}/view`)))
      }),
      rounds
    )
  })
}
