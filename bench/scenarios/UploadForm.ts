/**
 * A large file in a multipart form, stored durably.
 */
import * as Effect from "effect/Effect"
import * as BareProcess from "../support/baselines/BareProcess.ts"
import * as Comparison from "../support/stats/Comparison.ts"
import { sequence } from "../support/load/LoadJob.ts"
import * as Pair from "../support/stats/Pair.ts"
import * as Requests from "../support/load/Requests.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import { gib } from "../support/fixtures/Sizes.ts"
import type { Scenario } from "../support/Stage.ts"
import * as Subjects from "../support/load/Subjects.ts"

export const uploadForm: Scenario = {
  name: "upload-form",
  about: "POST …/upload of 1 GiB as multipart, against busboy and the pipeline, and against the pipeline alone",
  run: Effect.fnUntraced(function* (stage) {
    const { largeBytes, largeRounds } = stage.sizes
    const { bareDirectory, onBare, onHoldfast, tenancy } = yield* Pair.start(stage)
    const common = { connections: 1, status: 201, count: 1, warmUp: 0, unitsPerRequest: largeBytes / gib }
    const tidy = BareProcess.removeStored(bareDirectory)
    const [pipeline, busboy, subject] = yield* Rounds.interleave(
      [
        Subjects.make({
          ...onBare,
          ...common,
          name: "pipeline",
          requests: [Requests.postBytes("/raw", largeBytes)],
          tidy
        }),
        Subjects.make({
          ...onBare,
          ...common,
          name: "busboy+pipeline",
          requests: [Requests.postForm("/form", "form.bin", largeBytes)],
          tidy
        }),
        Subjects.make({
          ...onHoldfast,
          ...common,
          name: "upload",
          requests: [Requests.postForm(tenancy.files("/upload"), `form-${sequence}.bin`, largeBytes)]
        })
      ],
      largeRounds
    )
    if (pipeline === undefined || busboy === undefined || subject === undefined) return []
    const about = { scenario: "upload 1 GiB, form", database: stage.database.name, unit: "GiB" as const, subject }
    return [
      Comparison.make({ ...about, base: busboy, goal: 1.3 }),
      Comparison.make({ ...about, base: pipeline, goal: null })
    ]
  })
}
