/**
 * Mirrors of large buckets: creation, reading, resuming, removal, and many mirrors without work.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Mirrors from "../../support/fixtures/Mirrors.ts"
import { sequence } from "../../support/load/LoadJob.ts"
import * as Requests from "../../support/load/Requests.ts"
import * as Calls from "../Calls.ts"
import type { Operation } from "../Operation.ts"
import type { Site } from "../Site.ts"

const mirrorsUrl = ({ attacker, url }: Site, bucketId: string, below = "", query = ""): string =>
  url(attacker.path(`buckets/${bucketId}/mirrors${below}`, query))

const create = (site: Site, bucketId: string) =>
  Effect.map(
    Effect.timed(Mirrors.create(site.service, bucketId, Mirrors.unreachable, "unreachable")),
    ([time, id]) => ({ id, milliseconds: Duration.toMillis(time) })
  )

/** The row of a mirror that is not filled yet; none afterwards. */
const filling = (mirrorId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT id FROM mirror WHERE id = ${mirrorId} AND filling <> 0`)

const awaitFilled = (site: Site, mirrorId: string) =>
  site.query(
    Effect.gen(function* () {
      while ((yield* filling(mirrorId)).length > 0) yield* Effect.sleep("200 millis")
    })
  )

/** A mirror of the large bucket whose files are all pending. */
interface Filled {
  readonly bucketId: string
  readonly id: string
}

const remove = (site: Site, { bucketId, id }: Filled) => Calls.call("DELETE", mirrorsUrl(site, bucketId, `/${id}`))

/** The filled mirror of each site, which the operations share: to fill one takes a minute at a million files. */
const kept = new WeakMap<Site, Filled>()

/** Returns the mirror that is kept; fills one if there is none. */
const filledMirror = (site: Site) =>
  Effect.gen(function* () {
    const found = kept.get(site)
    if (found !== undefined) return found
    const bucketId = yield* site.largeBucket
    const { id } = yield* create(site, bucketId)
    yield* awaitFilled(site, id)
    kept.set(site, { bucketId, id })
    return { bucketId, id }
  })

export const mirrorFill: Operation = {
  name: "mirror-fill",
  description: "a new mirror of a large bucket; twelve clients read it until all files are pending",
  prepare: Effect.fnUntraced(function* (site) {
    const bucketId = yield* site.largeBucket
    const former = kept.get(site)
    const work = Effect.gen(function* () {
      const start = performance.now()
      const { id, milliseconds } = yield* create(site, bucketId)
      kept.set(site, { bucketId, id })
      const readers = Effect.forever(Calls.call("GET", mirrorsUrl(site, bucketId, `/${id}`)))
      const reading = Effect.all(
        Array.from({ length: 12 }, () => readers),
        { concurrency: "unbounded" }
      )
      yield* Effect.raceFirst(awaitFilled(site, id), reading)
      return `created in ${Calls.duration(milliseconds)}, filled after ${Calls.duration(performance.now() - start)}`
    })
    yield* Effect.addFinalizer(() => (former === undefined ? Effect.void : Effect.ignore(remove(site, former))))
    return { work }
  })
}

export const mirrorUploads: Operation = {
  name: "mirror-uploads",
  description: "uploads into a large bucket, before and while its new mirror is filled, over four connections",
  prepare: Effect.fnUntraced(function* (site) {
    const bucketId = yield* site.largeBucket
    const name = `${site.uniqueName("beside")}-${sequence}.bin`
    const requests = [Requests.postForm(site.attacker.path(`buckets/${bucketId}/files/upload`), name, 1024)]
    const count = site.sizes.seconds * 100
    const upload = (firstNumber: number) =>
      site.service.runLoad({ port: site.service.port, requests, connections: 4, count, status: 201, firstNumber })
    const describe = ({ medianMs, p99Ms }: { readonly medianMs: number; readonly p99Ms: number }) =>
      `median ${Calls.duration(medianMs)}, p99 ${Calls.duration(p99Ms)}`
    const work = Effect.gen(function* () {
      const before = yield* upload(0)
      const { id } = yield* create(site, bucketId)
      yield* Effect.addFinalizer(() => Effect.ignore(remove(site, { bucketId, id })))
      const during = yield* upload(count)
      const isFilling = (yield* site.query(filling(id))).length > 0
      return `uploads: ${describe(before)}; beside the mirror: ${describe(during)}${isFilling ? "" : " (filled before the end)"}`
    })
    return { work }
  })
}

export const mirrorRead: Operation = {
  name: "mirror-read",
  description: "a filled mirror of a large bucket: its record, the list, and its files in each state",
  prepare: Effect.fnUntraced(function* (site) {
    const { bucketId, id } = yield* filledMirror(site)
    const files = ["", "state=PENDING", "state=COPIED", "state=FAILED"].map((query) =>
      mirrorsUrl(site, bucketId, `/${id}/files`, query)
    )
    const urls = [mirrorsUrl(site, bucketId), mirrorsUrl(site, bucketId, `/${id}`), ...files]
    const calls = Array.from({ length: site.sizes.repetitions }, () => urls.map((url) => Calls.call("GET", url)))
    const work = Calls.callAll(calls.flat(), 6)
    return { work }
  })
}

export const mirrorResume: Operation = {
  name: "mirror-resume",
  description: "pause, resume and sync of a filled mirror of a large bucket",
  prepare: Effect.fnUntraced(function* (site) {
    const { bucketId, id } = yield* filledMirror(site)
    const patch = (paused: boolean) =>
      Calls.call("PATCH", mirrorsUrl(site, bucketId, `/${id}`), JSON.stringify({ paused }))
    const calls = [patch(true), patch(false), Calls.call("POST", mirrorsUrl(site, bucketId, `/${id}/sync`))]
    const work = Calls.callAll([...calls, ...calls], 1)
    return { work }
  })
}

export const mirrorRemove: Operation = {
  name: "mirror-remove",
  description: "DELETE of a filled mirror of a large bucket, until its tasks are gone",
  prepare: Effect.fnUntraced(function* (site) {
    const mirror = yield* filledMirror(site)
    kept.delete(site)
    const rows = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`SELECT 1 AS one FROM mirror_task WHERE mirror_id = ${mirror.id} LIMIT 1`
    )
    const work = Effect.gen(function* () {
      const start = performance.now()
      const answer = yield* remove(site, mirror)
      while ((yield* site.query(rows)).length > 0) yield* Effect.sleep("500 millis")
      return `${Calls.describe([answer])}; tasks gone after ${Calls.duration(performance.now() - start)}`
    })
    return { work }
  })
}

export const idleMirrors: Operation = {
  name: "idle-mirrors",
  description: "very many mirrors without work, which the workers of the node poll",
  prepare: Effect.fnUntraced(function* (site) {
    const bucketId = yield* site.attacker.createBucket(site.uniqueName("idle"))
    const { id } = yield* create(site, bucketId)
    yield* site.query(copyMirror(id, site.sizes.idleMirrors))
    const { seconds } = site.sizes
    const work = Effect.as(Effect.sleep(seconds * 1000), `${site.sizes.idleMirrors} mirrors for ${seconds} s`)
    return { work }
  })
}

/** Inserts copies of a mirror's row, with other ids and buckets. */
const copyMirror = (id: string, count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<Record<string, unknown>>`SELECT * FROM mirror WHERE id = ${id}`
    const columns = Object.keys(row ?? {})
    const selected = columns.map((column) =>
      column === "id" || column === "bucket_id" ? `${column} || '-' || n` : column
    )
    yield* sql.unsafe(
      `INSERT INTO mirror (${columns.join(", ")})
       WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
       SELECT ${selected.join(", ")} FROM numbers, mirror WHERE id = '${id}'`
    )
  })
