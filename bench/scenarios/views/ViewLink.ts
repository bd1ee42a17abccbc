/**
 * Measures reading a small file through a link, against reading it with an API key.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Api from "../../support/fixtures/Api.ts"
import * as HoldfastService from "../../support/fixtures/HoldfastService.ts"
import { connections, smallBytes } from "../../support/fixtures/Sizes.ts"
import * as Tenancy from "../../support/fixtures/Tenancy.ts"
import * as LoadSubject from "../../support/load/LoadSubject.ts"
import * as Requests from "../../support/load/Requests.ts"
import type { Scenario } from "../../support/run/Scenario.ts"
import * as Rounds from "../../support/stats/Rounds.ts"

const Link = Schema.Struct({ url: Schema.String })

export const viewLink: Scenario = {
  name: "link",
  description: "GET …/view of 4 KiB through a link, against the same with an API key",
  run: Effect.fnUntraced(function* (context) {
    const service = yield* HoldfastService.start(context)
    const id = yield* Tenancy.store(service, smallBytes)
    const { files } = service.tenancy
    const create = `http://127.0.0.1:${service.port}${files(`/${id}/links`)}`
    const { url } = yield* Api.requestAs(Link, "POST", create, { expiresIn: 3600 })
    const { requests: count, rounds } = context.sizes
    const common = { ...service, connections, status: 200, count, warmUp: count, unitsPerRequest: 1 }
    return yield* Rounds.compare(
      { scenario: "view 4 KiB through a link", database: context.database.name, unit: "request", goal: 1.1 },
      LoadSubject.make({ ...common, name: "with an API key", requests: [Requests.get(files(`/${id}/view`))] }),
      LoadSubject.make({ ...common, name: "link", requests: [Requests.get(url.replace(/^https?:\/\/[^/]+/, ""))] }),
      rounds
    )
  })
}
