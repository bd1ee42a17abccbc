/**
 * What mirrors cost whoever writes files: nobody waits for a copy, but what is to be copied is noted with each write. The
 * copying itself can be another node's, so mirrors that work are paused here.
 */
import * as Effect from "effect/Effect"
import { sequence } from "../support/load/LoadJob.ts"
import * as Comparison from "../support/stats/Comparison.ts"
import * as CpuMeter from "../support/stats/CpuMeter.ts"
import * as Mirroring from "../support/fixtures/Mirroring.ts"
import * as Requests from "../support/load/Requests.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import { connections, smallBytes } from "../support/fixtures/Sizes.ts"
import type { Scenario } from "../support/Stage.ts"
import * as Subjects from "../support/load/Subjects.ts"

const scenes = [
  { name: "none", mirrors: 0, isPaused: true },
  { name: "1 mirror", mirrors: 1, isPaused: true },
  { name: "3 mirrors", mirrors: 3, isPaused: true },
  { name: "1 dead mirror", mirrors: 1, isPaused: false }
]

export const mirrorWrites: Scenario = {
  name: "mirror-writes",
  about: "POST of 4 KiB to a bucket with mirrors, also with a dead one, against one without",
  run: Effect.fnUntraced(function* (stage) {
    const node = yield* Mirroring.start(stage)
    const { database, holdfast, tenancy } = node
    const subjects: Array<Rounds.Subject> = []
    for (const { isPaused, mirrors, name } of scenes) {
      const bucketId = yield* tenancy.createBucket(name)
      for (let index = 0; index < mirrors; index++) {
        const id = yield* Mirroring.create(node, bucketId, Mirroring.nowhere, "nowhere")
        if (isPaused) yield* Mirroring.pause(node, bucketId, id)
      }
      const path = tenancy.path(`buckets/${bucketId}/files/upload`)
      subjects.push(
        Subjects.make({
          name,
          load: stage.load,
          port: holdfast.port,
          cpu: CpuMeter.ofProcess(holdfast.pid),
          databaseCpu: database.cpu,
          requests: [Requests.postForm(path, `form-${sequence}.bin`, smallBytes)],
          connections,
          status: 201,
          count: stage.sizes.writes,
          warmUp: stage.sizes.writes,
          unitsPerRequest: 1
        })
      )
    }
    const [base, ...others] = yield* Rounds.interleave(subjects, stage.sizes.rounds)
    if (base === undefined) return []
    return others.flatMap((subject) => {
      const about = { database: stage.database.name, unit: "request", base, subject, goal: 1.1 } as const
      const scenario = `upload with ${subject.name}`
      return [
        Comparison.make({ ...about, scenario }),
        Comparison.make({ ...about, scenario: `${scenario}, by the clock`, by: "wall" })
      ]
    })
  })
}
