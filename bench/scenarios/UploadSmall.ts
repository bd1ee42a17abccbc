/**
 * Measures small bodies that are stored durably: new files by form, and new contents of existing files.
 */
import * as Effect from "effect/Effect"
import * as ServerPair from "../support/fixtures/ServerPair.ts"
import { connections, smallBytes } from "../support/fixtures/Sizes.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"
import { sequence } from "../support/load/LoadJob.ts"
import * as LoadSubject from "../support/load/LoadSubject.ts"
import * as Requests from "../support/load/Requests.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Rounds from "../support/stats/Rounds.ts"

export const uploadSmall: Scenario = {
  name: "upload-small",
  description: "POST of 4 KiB as a form and raw, against busboy and a pipeline with the same syncs",
  run: Effect.fnUntraced(function* (context) {
    const { baseline, service } = yield* ServerPair.start(context)
    const { tenancy } = service
    const { rounds, writes: count } = context.sizes
    const common = { connections, count, warmUp: count, unitsPerRequest: 1 }
    const about = { database: context.database.name, unit: "request" as const, goal: null }
    const postForm = (path: string) => [Requests.postForm(path, `form-${sequence}.bin`, smallBytes)]
    const forms = postForm(tenancy.files("/upload"))
    const form = yield* Rounds.compare(
      { ...about, scenario: "upload 4 KiB, form" },
      LoadSubject.make({ ...baseline, ...common, name: "busboy+pipeline", status: 201, requests: postForm("/form") }),
      LoadSubject.make({ ...service, ...common, name: "upload", status: 201, requests: forms }),
      rounds
    )
    const bodies = [Requests.postBytes("/raw", smallBytes)]
    const reuploads = yield* Tenancy.reuploads(tenancy, connections, smallBytes)
    const raw = yield* Rounds.compare(
      { ...about, scenario: "upload 4 KiB, raw" },
      LoadSubject.make({ ...baseline, ...common, name: "pipeline", status: 201, requests: bodies }),
      LoadSubject.make({ ...service, ...common, name: "reupload", status: 200, requests: reuploads }),
      rounds
    )
    return [...form, ...raw]
  })
}
