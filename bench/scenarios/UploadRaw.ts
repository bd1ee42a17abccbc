/**
 * Measures a large body that is stored durably.
 */
import * as Effect from "effect/Effect"
import * as NodeServerProcess from "../support/baselines/NodeServerProcess.ts"
import * as ServerPair from "../support/fixtures/ServerPair.ts"
import { gib } from "../support/fixtures/Sizes.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"
import * as LoadSubject from "../support/load/LoadSubject.ts"
import * as Requests from "../support/load/Requests.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Rounds from "../support/stats/Rounds.ts"

export const uploadRaw: Scenario = {
  name: "upload-raw",
  description: "POST …/reupload of 1 GiB, against a pipeline through SHA-256 to a synced file",
  run: Effect.fnUntraced(function* (context) {
    const { largeBytes, largeRounds } = context.sizes
    const { baseline, baselineDirectory, service } = yield* ServerPair.start(context)
    const common = { connections: 1, count: 1, warmUp: 0, unitsPerRequest: largeBytes / gib }
    return yield* Rounds.compare(
      { scenario: "upload 1 GiB, raw", database: context.database.name, unit: "GiB", goal: 1.3 },
      LoadSubject.make({
        ...baseline,
        ...common,
        name: "pipeline",
        status: 201,
        requests: [Requests.postBytes("/raw", largeBytes)],
        afterRound: NodeServerProcess.removeStored(baselineDirectory)
      }),
      LoadSubject.make({
        ...service,
        ...common,
        name: "reupload",
        status: 200,
        requests: yield* Tenancy.reuploads(service.tenancy, 1, largeBytes)
      }),
      largeRounds
    )
  })
}
