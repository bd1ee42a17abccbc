/**
 * Conversions of the attacker: a heavy video, and a long queue beside the clip of another tenant.
 */
import { join } from "node:path"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as Conversions from "../../support/fixtures/Conversions.ts"
import type { Tenancy } from "../../support/fixtures/Tenancy.ts"
import * as Videos from "../../support/fixtures/Videos.ts"
import { BenchFailure } from "../../support/run/BenchFailure.ts"
import * as Calls from "../Calls.ts"
import type { Operation } from "../Operation.ts"
import type { Site } from "../Site.ts"

/** Generates a video that has to be encoded again. Returns its path. */
const generate = (site: Site, seconds: number) =>
  Effect.gen(function* () {
    yield* Videos.requireFfmpeg
    const path = join(site.directory, `${site.uniqueName("video")}.mkv`)
    yield* Videos.generateUnplayable(path, seconds)
    return path
  })

const store = (site: Site, tenancy: Tenancy, path: string) =>
  Conversions.store({ holdfast: site.service.holdfast, tenancy }, `${site.uniqueName("video")}.mkv`, path)

export const conversion: Operation = {
  name: "conversion",
  description: "a video that has to be encoded again",
  prepare: Effect.fnUntraced(function* (site) {
    const video = yield* store(site, site.attacker, yield* generate(site, site.sizes.videoSeconds))
    const work = Effect.map(
      Effect.timed(Conversions.convert(video, "hls")),
      ([time]) => `converted in ${Calls.duration(Duration.toMillis(time))}`
    )
    return { work }
  })
}

/** Inserts conversions of a file that are due and whose content was replaced. Their ids begin with `cnv_`, the prefix and `-`. */
const queueConversions = (site: Site, { bucketId, tenantId }: Tenancy, fileId: string, prefix: string) =>
  site.query(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = sql`(WITH RECURSIVE s (i) AS (
        SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < CAST(${site.sizes.queued} AS bigint)) SELECT i FROM s) AS some_rows`
      yield* sql`INSERT INTO conversion
          (id, tenant_id, bucket_id, file_id, blob_id, format, mode, state, progress, attempt, tries, due_at)
        SELECT CAST(${`cnv_${prefix}-`} AS text) || i, ${tenantId}, ${bucketId}, ${fileId},
          CAST(${`blb_${prefix}-`} AS text) || i, 'hls', 'auto', 'QUEUED', 0, 0, 0, 1767225600000 + i FROM ${rows}`
    })
  )

/** How many of these conversions a worker still has to look at. */
const countQueued = (site: Site, prefix: string) =>
  site.query(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly count: number }>`SELECT CAST(count(*) AS int) AS count FROM conversion
        WHERE id >= ${`cnv_${prefix}-`} AND id < ${`cnv_${prefix}.`} AND due_at <= ${Date.now()}`
      return row?.count ?? 0
    })
  )

/** Requests a conversion and waits until a worker has claimed it. Returns how long that took, in milliseconds. */
const start = (video: Conversions.Video) =>
  Effect.gen(function* () {
    const requested = performance.now()
    while ((yield* Conversions.request(video, "hls")) === "QUEUED") yield* Effect.sleep("100 millis")
    return performance.now() - requested
  })

/** Within this time the clip of another tenant has to start, in milliseconds. */
const startWithin = 30_000

export const conversionQueue: Operation = {
  name: "conversion-queue",
  description:
    "the short clip of one tenant beside a long video of another, and very many queued conversions of a third",
  prepare: Effect.fnUntraced(function* (site) {
    const longPath = join(site.directory, `${site.uniqueName("long")}.mkv`)
    yield* Videos.repeat(yield* generate(site, site.sizes.videoSeconds), longPath, 20)
    const long = yield* store(site, site.attacker, longPath)
    const clip = yield* store(site, yield* site.createTenancy, yield* generate(site, 6))
    const queued = yield* site.createTenancy
    const prefix = site.uniqueName("replaced")
    const remove = Effect.forEach([long, clip], (video) => Effect.ignore(Conversions.remove(video, "hls")))
    yield* Effect.addFinalizer(() => remove)
    yield* start(long)
    yield* queueConversions(site, queued, yield* queued.reserve("replaced"), prefix)
    const work = Effect.gen(function* () {
      const waited = yield* start(clip)
      if (waited > startWithin) {
        const message = `The conversion of another tenant's clip started after ${Calls.duration(waited)}.`
        return yield* new BenchFailure({ message })
      }
      const { seconds } = site.sizes
      const [time, converted] = yield* Effect.timed(
        Effect.timeoutOption(Conversions.convert(clip, "hls"), seconds * 1000)
      )
      const end = `${Option.isSome(converted) ? "converted" : "not converted"} after ${Calls.duration(Duration.toMillis(time))}`
      // The worker looks at the queue of the third tenant while it has nothing else to do.
      yield* remove
      yield* Effect.sleep(seconds * 1000)
      const left = `${yield* countQueued(site, prefix)} of ${site.sizes.queued} queued ones left after ${seconds} s`
      return `clip started after ${Calls.duration(waited)}, ${end}; ${left}`
    })
    return { work }
  })
}
