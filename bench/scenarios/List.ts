/**
 * Measures pages of a hundred entries, in a bucket with few files and in one with many: the number of files in the bucket
 * should hardly affect the cost of a page.
 */
import * as Effect from "effect/Effect"
import * as Page from "@holdfast/core/Page"
import * as Database from "../support/fixtures/Database.ts"
import * as HoldfastService from "../support/fixtures/HoldfastService.ts"
import * as Seed from "../support/fixtures/Seed.ts"
import * as LoadSubject from "../support/load/LoadSubject.ts"
import * as Requests from "../support/load/Requests.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import type { Comparison } from "../support/stats/Comparison.ts"
import * as Rounds from "../support/stats/Rounds.ts"

interface ListedPage {
  readonly title: string
  /** Returns the query for a bucket with this number of files. */
  readonly query: (files: number) => string
}

const cursor = (position: unknown): string => `cursor=${Page.encodeCursor(position)}`

const pages: ReadonlyArray<ListedPage> = [
  { title: "first page", query: () => "path=/flat/" },
  {
    title: "deep page",
    // Far enough from the last file that the page is full.
    query: (files) => `path=/flat/&${cursor({ path: "/flat/", name: Seed.flatName(files / 2 - 200) })}`
  },
  { title: "deep page, recursive", query: () => `recursive=true&${cursor({ path: Seed.folder(90), name: "file-" })}` },
  { title: "100 folders", query: () => "path=/tree/" }
]

const describeSize = (files: number): string => (files >= 1e6 ? `${files / 1e6} M files` : `${files / 1e3} k files`)

export const list: Scenario = {
  name: "list",
  description:
    "a page of 100 in a bucket of a million files, against one of ten thousand (PostgreSQL's own time included)",
  run: Effect.fnUntraced(function* (context) {
    const { database, sizes } = context
    const service = yield* HoldfastService.start(context)
    const { tenancy } = service
    const { tenantId } = tenancy
    const few = { tenantId, bucketId: yield* tenancy.createBucket("few"), files: sizes.fewFiles, ordinal: 0 }
    const many = { tenantId, bucketId: yield* tenancy.createBucket("many"), files: sizes.manyFiles, ordinal: 1 }
    yield* Database.query(service.database, Seed.seed([few, many]))
    const { database: databaseCpu = Effect.succeed(0), server } = service.cpu
    const bothCpu = Effect.zipWith(server, databaseCpu, (own, database) => own + database)
    const subject = ({ bucketId, files }: Seed.Bucket, { query }: ListedPage) =>
      LoadSubject.make({
        ...service,
        name: describeSize(files),
        cpu: { server: bothCpu, database: databaseCpu },
        requests: [Requests.get(tenancy.path(`buckets/${bucketId}/files`, `limit=100&${query(files)}`))],
        connections: 4,
        status: 200,
        count: sizes.pages,
        warmUp: sizes.pages,
        unitsPerRequest: 1
      })
    const comparisons: Array<Comparison> = []
    for (const page of pages) {
      const about = { scenario: `list, ${page.title}`, database: database.name, unit: "request" as const, goal: 1.5 }
      comparisons.push(...(yield* Rounds.compare(about, subject(few, page), subject(many, page), sizes.rounds)))
    }
    return comparisons
  })
}
