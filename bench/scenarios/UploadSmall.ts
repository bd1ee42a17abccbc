/**
 * Small bodies, each stored durably: new files by form, and new contents of files that stand.
 */
import * as Effect from "effect/Effect"
import { sequence } from "../support/load/LoadJob.ts"
import * as Pair from "../support/stats/Pair.ts"
import * as Requests from "../support/load/Requests.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import { connections, smallBytes } from "../support/fixtures/Sizes.ts"
import type { Scenario } from "../support/Stage.ts"
import * as Subjects from "../support/load/Subjects.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"

export const uploadSmall: Scenario = {
  name: "upload-small",
  about: "POST of 4 KiB as a form and raw, against busboy and a pipeline with the same syncs",
  run: Effect.fnUntraced(function* (stage) {
    const { onBare, onHoldfast, tenancy } = yield* Pair.start(stage)
    const ids = yield* Tenancy.reserveEach(tenancy, connections)
    const { rounds, writes: count } = stage.sizes
    const common = { connections, count, warmUp: count, unitsPerRequest: 1 }
    const about = { database: stage.database.name, unit: "request" as const, goal: null }
    const form = yield* Rounds.compare(
      { ...about, scenario: "upload 4 KiB, form" },
      Subjects.make({
        ...onBare,
        ...common,
        name: "busboy+pipeline",
        status: 201,
        requests: [Requests.postForm("/form", `form-${sequence}.bin`, smallBytes)]
      }),
      Subjects.make({
        ...onHoldfast,
        ...common,
        name: "upload",
        status: 201,
        requests: [Requests.postForm(tenancy.files("/upload"), `form-${sequence}.bin`, smallBytes)]
      }),
      rounds
    )
    const raw = yield* Rounds.compare(
      { ...about, scenario: "upload 4 KiB, raw" },
      Subjects.make({
        ...onBare,
        ...common,
        name: "pipeline",
        status: 201,
        requests: [Requests.postBytes("/raw", smallBytes)]
      }),
      Subjects.make({
        ...onHoldfast,
        ...common,
        name: "reupload",
        status: 200,
        requests: ids.map((id) => Requests.postBytes(tenancy.files(`/${id}/reupload`), smallBytes))
      }),
      rounds
    )
    return [...form, ...raw]
  })
}
