/**
 * Conversions of the attacker: a heavy video, and a long queue.
 */
import { join } from "node:path"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Conversions from "../../support/fixtures/Conversions.ts"
import * as Videos from "../../support/fixtures/Videos.ts"
import * as Calls from "../Calls.ts"
import type { Operation } from "../Operation.ts"
import type { Site } from "../Site.ts"

const storeVideo = (site: Site, seconds: number) =>
  Effect.gen(function* () {
    yield* Videos.requireFfmpeg
    const name = `${site.uniqueName("video")}.mkv`
    const path = join(site.directory, name)
    yield* Videos.generateUnplayable(path, seconds)
    return yield* Conversions.store(site.service, name, path)
  })

export const conversion: Operation = {
  name: "conversion",
  description: "a video that has to be encoded again",
  prepare: Effect.fnUntraced(function* (site) {
    const video = yield* storeVideo(site, site.sizes.videoSeconds)
    const work = Effect.map(
      Effect.timed(Conversions.convert(video, "hls")),
      ([time]) => `converted in ${Calls.duration(Duration.toMillis(time))}`
    )
    return { work }
  })
}

/** Inserts conversions of a file that are due and whose content was replaced. Their ids begin with `cnv_`, the prefix and `-`. */
const queueConversions = (site: Site, fileId: string, prefix: string) =>
  site.query(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { bucketId, tenantId } = site.attacker
      const rows = sql`(WITH RECURSIVE s (i) AS (
        SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < CAST(${site.sizes.queued} AS bigint)) SELECT i FROM s) AS some_rows`
      yield* sql`INSERT INTO conversion
          (id, tenant_id, bucket_id, file_id, blob_id, format, mode, state, progress, attempt, tries, due_at)
        SELECT CAST(${`cnv_${prefix}-`} AS text) || i, ${tenantId}, ${bucketId}, ${fileId},
          CAST(${`blb_${prefix}-`} AS text) || i, 'hls', 'auto', 'QUEUED', 0, 0, 0, 1767225600000 + i FROM ${rows}`
    })
  )

export const conversionQueue: Operation = {
  name: "conversion-queue",
  description: "a queue of very many conversions whose contents were replaced",
  prepare: Effect.fnUntraced(function* (site) {
    const id = yield* site.store(4096)
    const prefix = site.uniqueName("replaced")
    yield* queueConversions(site, id, prefix)
    const remaining = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly count: number }>`SELECT CAST(count(*) AS int) AS count FROM conversion
        WHERE id >= ${`cnv_${prefix}-`} AND id < ${`cnv_${prefix}.`} AND due_at IS NOT NULL`
      return row?.count ?? 0
    })
    const work = Effect.gen(function* () {
      yield* Effect.sleep(site.sizes.seconds * 1000)
      return `${yield* site.query(remaining)} of ${site.sizes.queued} left after ${site.sizes.seconds} s`
    })
    return { work }
  })
}
