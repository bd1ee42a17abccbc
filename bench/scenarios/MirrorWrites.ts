/**
 * Measures what mirrors cost a client that writes files. A write waits for no copy, but its transaction also records the
 * pending copy. Another node may do the copying, so working mirrors are paused here.
 */
import * as Effect from "effect/Effect"
import * as Mirrors from "../support/fixtures/Mirrors.ts"
import { connections, smallBytes } from "../support/fixtures/Sizes.ts"
import { sequence } from "../support/load/LoadJob.ts"
import * as LoadSubject from "../support/load/LoadSubject.ts"
import * as Requests from "../support/load/Requests.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Comparison from "../support/stats/Comparison.ts"
import * as Rounds from "../support/stats/Rounds.ts"

const cases = [
  { name: "none", mirrors: 0, isPaused: true },
  { name: "1 mirror", mirrors: 1, isPaused: true },
  { name: "3 mirrors", mirrors: 3, isPaused: true },
  { name: "1 dead mirror", mirrors: 1, isPaused: false }
]

export const mirrorWrites: Scenario = {
  name: "mirror-writes",
  description: "POST of 4 KiB to a bucket with mirrors, also with an unreachable one, against a bucket without",
  run: Effect.fnUntraced(function* (context) {
    const service = yield* Mirrors.startService(context)
    const { tenancy } = service
    const subjects: Array<Rounds.Subject> = []
    for (const { isPaused, mirrors, name } of cases) {
      const bucketId = yield* tenancy.createBucket(name)
      for (let index = 0; index < mirrors; index++) {
        const id = yield* Mirrors.create(service, bucketId, Mirrors.unreachable, "unreachable")
        if (isPaused) yield* Mirrors.pause(service, bucketId, id)
      }
      const path = tenancy.path(`buckets/${bucketId}/files/upload`)
      subjects.push(
        LoadSubject.make({
          ...service,
          name,
          requests: [Requests.postForm(path, `form-${sequence}.bin`, smallBytes)],
          connections,
          status: 201,
          count: context.sizes.writes,
          warmUp: context.sizes.writes,
          unitsPerRequest: 1
        })
      )
    }
    const [base, ...others] = yield* Rounds.interleave(subjects, context.sizes.rounds)
    if (base === undefined) return []
    return others.flatMap((subject) => {
      const about = { database: context.database.name, unit: "request", base, subject, goal: 1.1 } as const
      const scenario = `upload with ${subject.name}`
      return [
        Comparison.make({ ...about, scenario }),
        Comparison.make({ ...about, scenario: `${scenario}, by the clock`, by: "wall" })
      ]
    })
  })
}
