/**
 * Measures reading a segment of a stream with its playback key.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Conversions from "../support/fixtures/Conversions.ts"
import * as HoldfastService from "../support/fixtures/HoldfastService.ts"
import { connections } from "../support/fixtures/Sizes.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"
import * as Videos from "../support/fixtures/Videos.ts"
import * as LoadSubject from "../support/load/LoadSubject.ts"
import * as Requests from "../support/load/Requests.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Rounds from "../support/stats/Rounds.ts"

export const segment: Scenario = {
  name: "segment",
  description: "GET of a segment with its playback key, against …/view of a file of the same size",
  run: Effect.fnUntraced(function* (context) {
    yield* Videos.requireFfmpeg
    const service = yield* HoldfastService.start(context)
    const path = join(context.directory, "common.mp4")
    yield* Videos.generatePlayable(path, 4)
    const video = yield* Conversions.store(service, "common.mp4", path)
    yield* Conversions.convert(video, "hls")
    const { bytes, path: address } = yield* Conversions.readFirstSegment(video)
    const id = yield* Tenancy.store(service, bytes)
    const { requests, rounds } = context.sizes
    // A segment is about a hundred times as large as the files of other scenarios.
    const count = requests / 10
    const common = { ...service, connections, status: 200, count, warmUp: count, unitsPerRequest: 1 }
    return yield* Rounds.compare(
      {
        scenario: `segment of ${Math.round(bytes / 1024)} KiB`,
        database: context.database.name,
        unit: "request",
        goal: 1.25
      },
      LoadSubject.make({ ...common, name: "view", requests: [Requests.get(service.tenancy.files(`/${id}/view`))] }),
      LoadSubject.make({ ...common, name: "segment", requests: [Requests.get(address)] }),
      rounds
    )
  })
}
