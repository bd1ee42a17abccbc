/**
 * A large file, downloaded as a whole.
 */
import * as Effect from "effect/Effect"
import * as Pair from "../support/stats/Pair.ts"
import * as Requests from "../support/load/Requests.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import { gib } from "../support/fixtures/Sizes.ts"
import type { Scenario } from "../support/Stage.ts"
import * as Subjects from "../support/load/Subjects.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"

export const download: Scenario = {
  name: "download",
  about: "GET …/download of 1 GiB, against createReadStream.pipe",
  run: Effect.fnUntraced(function* (stage) {
    const { largeBytes, largeRounds } = stage.sizes
    const pair = yield* Pair.start(stage, [{ name: "large", bytes: largeBytes }])
    const id = yield* Tenancy.store(stage.load, pair.holdfast, pair.tenancy, largeBytes)
    const request = Requests.get(pair.tenancy.files(`/${id}/download`))
    const common = { connections: 1, status: 200, count: 1, warmUp: 1, unitsPerRequest: largeBytes / gib }
    return yield* Rounds.compare(
      { scenario: "download 1 GiB", database: stage.database.name, unit: "GiB", goal: 0.8 },
      Subjects.make({ ...pair.onBare, ...common, name: "createReadStream", requests: [Requests.get("/large")] }),
      Subjects.make({ ...pair.onHoldfast, ...common, name: "download", requests: [request] }),
      largeRounds
    )
  })
}
