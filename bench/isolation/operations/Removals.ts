/**
 * Removals of large buckets and tenants, and the sweep of their contents.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { sequence } from "../../support/load/LoadJob.ts"
import * as Requests from "../../support/load/Requests.ts"
import * as Calls from "../Calls.ts"
import type { Operation } from "../Operation.ts"
import type { Site } from "../Site.ts"

/** Waits until no row of the table belongs to a bucket any more. */
const awaitRows = (site: Site, table: "file" | "blob", bucketId: string) =>
  site.query(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const one = sql`SELECT 1 AS one FROM ${sql(table)} WHERE bucket_id = ${bucketId} LIMIT 1`
      while ((yield* one).length > 0) yield* Effect.sleep("500 millis")
    })
  )

/** The sites whose large bucket is removed. */
const removed = new WeakSet<Site>()

/** Returns a full bucket that no other operation needs: the large one, whose operations have run, and then further ones. */
const takeFullBucket = (site: Site) => {
  if (removed.has(site)) return site.createFullBucket(site.sizes.files)
  removed.add(site)
  return site.largeBucket
}

/** Removes by a request, and waits until the rows are gone, which the service may remove later. */
const remove = (site: Site, path: string, bucketId: string, table: "file" | "blob") =>
  Effect.gen(function* () {
    const start = performance.now()
    const answer = yield* Calls.call("DELETE", site.url(path))
    yield* awaitRows(site, table, bucketId)
    return `${Calls.describe([answer])}; rows gone after ${Calls.duration(performance.now() - start)}`
  })

export const deleteBucket: Operation = {
  name: "delete-bucket",
  description: "DELETE of a large bucket with force, until its files are gone",
  prepare: Effect.fnUntraced(function* (site) {
    const bucketId = yield* takeFullBucket(site)
    const work = remove(site, site.attacker.path(`buckets/${bucketId}`, "force=true"), bucketId, "file")
    return { work }
  })
}

export const deleteTenant: Operation = {
  name: "delete-tenant",
  description: "DELETE of a tenant with a large bucket with force, until its files are gone",
  prepare: Effect.fnUntraced(function* (site) {
    const { bucketId, path, tenantId } = yield* site.createTenancy
    yield* site.seed([{ tenantId, bucketId, files: site.sizes.files }])
    const work = remove(site, path("", "force=true").replace("/?", "?"), bucketId, "file")
    return { work }
  })
}

export const sweep: Operation = {
  name: "sweep",
  description: "the sweep of the contents of a removed bucket, until their rows are gone",
  prepare: Effect.fnUntraced(function* (site) {
    const { attacker, service, sizes } = site
    const bucketId = yield* attacker.createBucket(site.uniqueName("swept"))
    const requests = [Requests.postForm(attacker.path(`buckets/${bucketId}/files/upload`), `${sequence}.bin`, 1024)]
    const job = { port: service.port, requests, connections: 16, status: 201, firstNumber: 0 }
    yield* service.runLoad({ ...job, count: sizes.doomed })
    const work = remove(site, attacker.path(`buckets/${bucketId}`, "force=true"), bucketId, "blob")
    return { work }
  })
}
