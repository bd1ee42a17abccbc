/**
 * Measures reading a range of a file with a valid key.
 */
import * as Effect from "effect/Effect"
import * as ServerPair from "../support/fixtures/ServerPair.ts"
import { connections } from "../support/fixtures/Sizes.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"
import * as LoadSubject from "../support/load/LoadSubject.ts"
import * as Requests from "../support/load/Requests.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Rounds from "../support/stats/Rounds.ts"

const rangeBytes = 64 * 1024
const fileBytes = 1024 * 1024

export const range: Scenario = {
  name: "range",
  description: "GET …/view of 64 KiB out of 1 MiB, against open, read and close of a file of 64 KiB",
  run: Effect.fnUntraced(function* (context) {
    const { baseline, service } = yield* ServerPair.start(context, [{ name: "small", bytes: rangeBytes }])
    const id = yield* Tenancy.store(service, fileBytes)
    const path = service.tenancy.files(`/${id}/view`)
    const start = fileBytes / 2
    const wanted = `Range: bytes=${start}-${start + rangeBytes - 1}\r\n`
    const { requests, rounds } = context.sizes
    const count = requests / 2
    const common = { connections, count, warmUp: count, unitsPerRequest: 1 }
    return yield* Rounds.compare(
      { scenario: "range of 64 KiB", database: context.database.name, unit: "request", goal: 1.3 },
      LoadSubject.make({
        ...baseline,
        ...common,
        name: "open+read+close",
        status: 200,
        requests: [Requests.get("/small")]
      }),
      LoadSubject.make({ ...service, ...common, name: "range", status: 206, requests: [Requests.get(path, wanted)] }),
      rounds
    )
  })
}
