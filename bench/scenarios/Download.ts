/**
 * Measures the download of a whole large file.
 */
import * as Effect from "effect/Effect"
import * as ServerPair from "../support/fixtures/ServerPair.ts"
import { gib } from "../support/fixtures/Sizes.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"
import * as LoadSubject from "../support/load/LoadSubject.ts"
import * as Requests from "../support/load/Requests.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Rounds from "../support/stats/Rounds.ts"

export const download: Scenario = {
  name: "download",
  description: "GET …/download of 1 GiB, against createReadStream.pipe",
  run: Effect.fnUntraced(function* (context) {
    const { largeBytes, largeRounds } = context.sizes
    const { baseline, service } = yield* ServerPair.start(context, [{ name: "large", bytes: largeBytes }])
    const id = yield* Tenancy.store(service, largeBytes)
    const request = Requests.get(service.tenancy.files(`/${id}/download`))
    const common = { connections: 1, status: 200, count: 1, warmUp: 1, unitsPerRequest: largeBytes / gib }
    return yield* Rounds.compare(
      { scenario: "download 1 GiB", database: context.database.name, unit: "GiB", goal: 0.8 },
      LoadSubject.make({ ...baseline, ...common, name: "createReadStream", requests: [Requests.get("/large")] }),
      LoadSubject.make({ ...service, ...common, name: "download", requests: [request] }),
      largeRounds
    )
  })
}
