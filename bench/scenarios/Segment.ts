/**
 * A segment of a stream, fetched with its playback key.
 */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import * as Conversions from "../support/fixtures/Conversions.ts"
import * as Pair from "../support/stats/Pair.ts"
import * as Requests from "../support/load/Requests.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import { connections } from "../support/fixtures/Sizes.ts"
import type { Scenario } from "../support/Stage.ts"
import * as Subjects from "../support/load/Subjects.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"
import * as Videos from "../support/fixtures/Videos.ts"

export const segment: Scenario = {
  name: "segment",
  about: "GET of a segment with its playback key, against …/view of a file of the same size",
  run: Effect.fnUntraced(function* (stage) {
    yield* Videos.check
    const { holdfast, onHoldfast, tenancy } = yield* Pair.start(stage)
    const path = join(stage.directory, "common.mp4")
    yield* Videos.common(path, 4)
    const video = yield* Conversions.store(holdfast, tenancy, "common.mp4", path)
    yield* Conversions.convert(video, "hls")
    const { bytes, path: address } = yield* Conversions.firstSegment(video)
    const id = yield* Tenancy.store(stage.load, holdfast, tenancy, bytes)
    const { requests, rounds } = stage.sizes
    // A segment is some hundred times as large as what the other scenarios read.
    const count = requests / 10
    const common = { ...onHoldfast, connections, status: 200, count, warmUp: count, unitsPerRequest: 1 }
    return yield* Rounds.compare(
      {
        scenario: `segment of ${Math.round(bytes / 1024)} KiB`,
        database: stage.database.name,
        unit: "request",
        goal: 1.25
      },
      Subjects.make({ ...common, name: "view", requests: [Requests.get(tenancy.files(`/${id}/view`))] }),
      Subjects.make({ ...common, name: "segment", requests: [Requests.get(address)] }),
      rounds
    )
  })
}
