/**
 * A large body, stored durably.
 */
import * as Effect from "effect/Effect"
import * as BareProcess from "../support/baselines/BareProcess.ts"
import * as Pair from "../support/stats/Pair.ts"
import * as Requests from "../support/load/Requests.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import { gib } from "../support/fixtures/Sizes.ts"
import type { Scenario } from "../support/Stage.ts"
import * as Subjects from "../support/load/Subjects.ts"

export const uploadRaw: Scenario = {
  name: "upload-raw",
  about: "POST …/reupload of 1 GiB, against a pipeline through SHA-256 to a synced file",
  run: Effect.fnUntraced(function* (stage) {
    const { largeBytes, largeRounds } = stage.sizes
    const { bareDirectory, onBare, onHoldfast, tenancy } = yield* Pair.start(stage)
    const id = yield* tenancy.reserve("raw.bin")
    const common = { connections: 1, count: 1, warmUp: 0, unitsPerRequest: largeBytes / gib }
    return yield* Rounds.compare(
      { scenario: "upload 1 GiB, raw", database: stage.database.name, unit: "GiB", goal: 1.3 },
      Subjects.make({
        ...onBare,
        ...common,
        name: "pipeline",
        status: 201,
        requests: [Requests.postBytes("/raw", largeBytes)],
        tidy: BareProcess.removeStored(bareDirectory)
      }),
      Subjects.make({
        ...onHoldfast,
        ...common,
        name: "reupload",
        status: 200,
        requests: [Requests.postBytes(tenancy.files(`/${id}/reupload`), largeBytes)]
      }),
      largeRounds
    )
  })
}
