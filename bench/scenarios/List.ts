/**
 * Pages of a hundred entries, in a bucket with few files and in one with many. A page's cost should hardly depend on
 * how many files there are around it.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Page from "@holdfast/core/Page"
import { BenchFailure } from "../support/BenchFailure.ts"
import type { Comparison } from "../support/stats/Comparison.ts"
import * as CpuMeter from "../support/stats/CpuMeter.ts"
import * as HoldfastProcess from "../support/fixtures/HoldfastProcess.ts"
import * as Requests from "../support/load/Requests.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import * as Seed from "../support/fixtures/Seed.ts"
import type { Scenario } from "../support/Stage.ts"
import * as Subjects from "../support/load/Subjects.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"

interface Page {
  readonly title: string
  /** The query for a bucket of so many files. */
  readonly query: (files: number) => string
}

const cursor = (position: unknown): string => `cursor=${Page.encodeCursor(position)}`

const pages: ReadonlyArray<Page> = [
  { title: "first page", query: () => "path=/flat/" },
  {
    title: "deep page",
    // So far from the end that the page is still a full one.
    query: (files) => `path=/flat/&${cursor({ path: "/flat/", name: Seed.flatName(files / 2 - 200) })}`
  },
  { title: "deep page, recursive", query: () => `recursive=true&${cursor({ path: Seed.folder(90), name: "file-" })}` },
  { title: "100 folders", query: () => "path=/tree/" }
]

const human = (files: number): string => (files >= 1e6 ? `${files / 1e6} M files` : `${files / 1e3} k files`)

export const list: Scenario = {
  name: "list",
  about: "a page of 100 in a bucket of a million files, against one of ten thousand (PostgreSQL's own time included)",
  run: Effect.fnUntraced(function* (stage) {
    const { database, directory, load, profile, sizes } = stage
    const data = join(directory, "holdfast")
    const instance = yield* database.create(data)
    const rootKey = yield* HoldfastProcess.mintRootKey
    const holdfast = yield* HoldfastProcess.start({ directory: data, database: instance, profile, rootKey })
    const tenancy = yield* Tenancy.make(holdfast)
    const { tenantId } = tenancy
    const few = { tenantId, bucketId: yield* tenancy.createBucket("few"), files: sizes.fewFiles }
    const many = { tenantId, bucketId: yield* tenancy.createBucket("many"), files: sizes.manyFiles }
    yield* Seed.seed([few, many]).pipe(
      Effect.provide(instance.client),
      Effect.mapError((cause) => new BenchFailure({ message: `Seeding: ${cause.message}`, cause }))
    )
    const own = CpuMeter.ofProcess(holdfast.pid)
    const { cpu: databaseCpu = Effect.succeed(0) } = instance
    const subject = ({ bucketId, files }: Seed.Bucket, { query }: Page) =>
      Subjects.make({
        name: human(files),
        load,
        port: holdfast.port,
        cpu: Effect.zipWith(own, databaseCpu, (service, database) => service + database),
        databaseCpu,
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
