/**
 * Stores contents, damages some, and observes the scrub of a service that starts then.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Scrubber from "@holdfast/core/integrity/Scrubber"
import * as Database from "../support/fixtures/Database.ts"
import * as HoldfastProcess from "../support/fixtures/HoldfastProcess.ts"
import * as Mirrors from "../support/fixtures/Mirrors.ts"
import * as Seed from "../support/fixtures/Seed.ts"
import * as TemporaryDirectory from "../support/fixtures/TemporaryDirectory.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"
import { attempt, BenchFailure } from "../support/run/BenchFailure.ts"
import { printProgress } from "../support/run/Main.ts"
import * as CpuMeter from "../support/stats/CpuMeter.ts"
import { type Arguments, damagedPerBucket } from "./Arguments.ts"
import * as Contents from "./Contents.ts"
import type { Result } from "./Result.ts"

/** Contents in the mirrored bucket at most: copying them takes longer than storing the others. */
const maxMirrored = 1000

/** The longest time in which the mirror copies its bucket. */
const copyTimeout = "10 minutes"

/** How often the state of the scrub and of the repairs is read. */
const pollInterval = "1 second"

/** How long the scrub may stay at one position: it is stored every 20 seconds, and a pause lasts a minute at most. */
const stallMillis = 180_000

/** How long a repair may take after the scrub. The second attempt of a repair begins a minute after the first. */
const repairMillis = 120_000

type Deployment = Pick<HoldfastProcess.Options, "directory" | "database" | "rootKey">

interface Damaged extends Contents.Content {
  readonly hasCopy: boolean
}

/** Stores two buckets of contents, one of them mirrored, with a service that does not scrub. */
const store = (deployment: Deployment, contents: number) =>
  Effect.gen(function* () {
    const { database, directory } = deployment
    const environment = { HOLDFAST_SCRUB_PERIOD: "0" }
    const holdfast = yield* HoldfastProcess.start({ ...deployment, environment })
    const tenancy = yield* Tenancy.make(holdfast, "source")
    const target = yield* Tenancy.make(holdfast, "target")
    const { bucketId, tenantId } = tenancy
    const mirroredFiles = Math.min(maxMirrored, Math.floor(contents / 2))
    const common = { tenantId, sha256: Contents.sha256 }
    const mirrored = { ...common, bucketId, files: mirroredFiles, ordinal: 0 }
    const otherId = yield* tenancy.createBucket("other")
    const other = { ...common, bucketId: otherId, files: contents - mirroredFiles, ordinal: 1 }

    for (const bucket of [mirrored, other]) {
      yield* attempt("Writing contents", () => Contents.write(directory, bucket))
    }
    yield* Database.query(database, Seed.seed([mirrored, other]))
    const service = { port: holdfast.port, tenancy }
    const mirrorId = yield* Mirrors.createToTenant(service, bucketId, target)
    yield* Mirrors.awaitCopies(service, bucketId, mirrorId, mirroredFiles).pipe(
      Effect.timeoutOrElse({
        duration: copyTimeout,
        orElse: () => Effect.fail(new BenchFailure({ message: `The mirror did not finish within ${copyTimeout}.` }))
      })
    )
    return { mirrored, other }
  }).pipe(Effect.scoped)

/** Flips a bit in contents that are distributed evenly over a bucket. */
const damage = (directory: string, bucket: Seed.Bucket, hasCopy: boolean) =>
  attempt("Damaging contents", () =>
    Array.from({ length: damagedPerBucket }, (_, index): Damaged => {
      const n = Math.floor(((index + 0.5) * bucket.files) / damagedPerBucket)
      const content = Contents.locate(directory, bucket, n)
      Contents.flipBit(content)
      return { ...content, hasCopy }
    })
  )

/** Reads what the scrub has stored; undefined before it begins. */
const readScrub = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [row] = yield* sql<Record<string, unknown>>`SELECT blobs, bytes, started_at, finished_at FROM scrub
    WHERE name = ${Scrubber.backgroundName}`
  if (row === undefined) return undefined
  const { blobs, bytes, finished_at: finishedAt, started_at: startedAt } = row
  const seconds = finishedAt === null ? undefined : (Number(finishedAt) - Number(startedAt)) / 1000
  return { contents: Number(blobs), bytes: Number(bytes), seconds }
})

/** Waits until the scrub is finished. Also fails when the service exits, because its processor time cannot be read then. */
const awaitScrub = (database: Database.DatabaseInstance, pid: number) =>
  Effect.gen(function* () {
    const readDatabaseCpu = database.cpu ?? Effect.undefined
    const databaseBefore = yield* readDatabaseCpu
    const before = yield* CpuMeter.ofProcess(pid)
    let contents = 0
    let since = performance.now()
    while (true) {
      const cpuSeconds = (yield* CpuMeter.ofProcess(pid)) - before
      const scrub = yield* Database.query(database, readScrub)
      if (scrub?.seconds !== undefined) {
        const databaseCpu = yield* readDatabaseCpu
        const databaseCpuSeconds = databaseCpu === undefined ? undefined : databaseCpu - (databaseBefore ?? 0)
        return { ...scrub, seconds: scrub.seconds, cpuSeconds, databaseCpuSeconds }
      }
      if (scrub !== undefined && scrub.contents > contents) {
        contents = scrub.contents
        since = performance.now()
        yield* printProgress(`  ${contents} contents read`)
      }
      if (performance.now() - since > stallMillis) {
        return yield* new BenchFailure({ message: `The scrub stopped after ${contents} contents.` })
      }
      yield* Effect.sleep(pollInterval)
    }
  })

/** Waits until the contents with a copy are repaired, or the time for it has passed. */
const awaitRepairs = (damaged: ReadonlyArray<Damaged>) =>
  Effect.gen(function* () {
    const end = performance.now() + repairMillis
    const repairable = damaged.filter(({ hasCopy }) => hasCopy)
    const isOver = attempt("Reading contents", () => repairable.every(Contents.isIntact) || performance.now() > end)
    while (!(yield* isOver)) yield* Effect.sleep(pollInterval)
  })

const readDamage = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql<{ readonly blob_id: string }>`SELECT blob_id FROM damage`
  return rows.map((row) => row.blob_id)
})

/** Compares the damaged contents with what the service recorded. The record of a repaired one is gone. */
const judge = (database: Database.DatabaseInstance, damaged: ReadonlyArray<Damaged>) =>
  Effect.gen(function* () {
    const recorded = yield* Database.query(database, readDamage)
    const falseAlarms = recorded.filter((id) => !damaged.some(({ blobId }) => blobId === id)).length
    const judged = yield* attempt("Reading contents", () =>
      damaged.map((content) => {
        const isRepaired = Contents.isIntact(content)
        return { hasCopy: content.hasCopy, isRepaired, isFound: isRepaired || recorded.includes(content.blobId) }
      })
    )
    return { damaged: judged, falseAlarms }
  })

/** Runs on one database. */
export const run = (
  name: "sqlite" | "postgres",
  { contents, directory: parent, profile, rate }: Arguments
): Effect.Effect<Result, BenchFailure> =>
  Effect.gen(function* () {
    const { create } = yield* Database.open(name)
    const temporary = yield* TemporaryDirectory.make(parent, contents * 8192)
    const directory = join(temporary, "holdfast")
    const database = yield* create(directory)
    const deployment = { directory, database, rootKey: yield* HoldfastProcess.mintRootKey }
    yield* printProgress(`Storing ${contents} contents on ${name}…`)
    const { mirrored, other } = yield* store(deployment, contents)
    const damaged = [...(yield* damage(directory, mirrored, true)), ...(yield* damage(directory, other, false))]

    yield* printProgress("Scrubbing…")
    const environment: Record<string, string> = rate === undefined ? {} : { HOLDFAST_SCRUB_RATE: rate }
    const { pid } = yield* HoldfastProcess.start({ ...deployment, environment, profile })
    const figures = yield* awaitScrub(database, pid)
    yield* awaitRepairs(damaged)
    return { database: name, ...figures, ...(yield* judge(database, damaged)) }
  }).pipe(Effect.scoped)
