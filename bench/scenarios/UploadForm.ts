/**
 * Measures a large file in a multipart form that is stored durably.
 */
import * as Effect from "effect/Effect"
import * as NodeServerProcess from "../support/baselines/NodeServerProcess.ts"
import * as ServerPair from "../support/fixtures/ServerPair.ts"
import { gib } from "../support/fixtures/Sizes.ts"
import { sequence } from "../support/load/LoadJob.ts"
import * as LoadSubject from "../support/load/LoadSubject.ts"
import * as Requests from "../support/load/Requests.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Comparison from "../support/stats/Comparison.ts"
import * as Rounds from "../support/stats/Rounds.ts"

export const uploadForm: Scenario = {
  name: "upload-form",
  description: "POST …/upload of 1 GiB as multipart, against busboy and the pipeline, and against the pipeline alone",
  run: Effect.fnUntraced(function* (context) {
    const { largeBytes, largeRounds } = context.sizes
    const { baseline, baselineDirectory, service } = yield* ServerPair.start(context)
    const common = { connections: 1, status: 201, count: 1, warmUp: 0, unitsPerRequest: largeBytes / gib }
    const afterRound = NodeServerProcess.removeStored(baselineDirectory)
    const form = (path: string, name: string) => [Requests.postForm(path, name, largeBytes)]
    const [pipeline, busboy, subject] = yield* Rounds.interleave(
      [
        LoadSubject.make({
          ...baseline,
          ...common,
          name: "pipeline",
          requests: [Requests.postBytes("/raw", largeBytes)],
          afterRound
        }),
        LoadSubject.make({
          ...baseline,
          ...common,
          name: "busboy+pipeline",
          requests: form("/form", "form.bin"),
          afterRound
        }),
        LoadSubject.make({
          ...service,
          ...common,
          name: "upload",
          requests: form(service.tenancy.files("/upload"), `form-${sequence}.bin`)
        })
      ],
      largeRounds
    )
    if (pipeline === undefined || busboy === undefined || subject === undefined) return []
    const about = { scenario: "upload 1 GiB, form", database: context.database.name, unit: "GiB" as const, subject }
    return [
      Comparison.make({ ...about, base: busboy, goal: 1.3 }),
      Comparison.make({ ...about, base: pipeline, goal: null })
    ]
  })
}
