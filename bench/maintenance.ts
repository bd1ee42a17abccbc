/**
 * Measures the consistency check and the sweep: `node bench/maintenance.ts [--contents N] [--database sqlite|postgres]`.
 *
 * Prints contents per second, the processor time per content, and the memory of this process, which runs both: the most that
 * was in use after a collection of garbage, and how much the resident memory has grown. The first depends on what is kept;
 * the second also on how much garbage V8 lets accumulate.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Fsck from "@holdfast/core/storage/Fsck"
import * as Sweeper from "@holdfast/core/storage/Sweeper"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as Layout from "@holdfast/fs/Layout"
import * as PostgresMetadata from "@holdfast/postgres/PostgresMetadata"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as PostgresServer from "@holdfast/testing/servers/Postgres"
import * as TemporaryDirectory from "./support/fixtures/TemporaryDirectory.ts"

const { values } = parseArgs({
  options: {
    contents: { type: "string", default: "50000" },
    database: { type: "string", default: "sqlite" },
    directory: { type: "string" }
  }
})
const contents = Number(values.contents)

const bucket = {
  tenantId: "ten_01890a5d-ac96-774b-8bce-b302099a8057",
  bucketId: "bkt_01890a5d-ac96-774b-8bce-b302099a8057"
}

/** The sixteen bits before the last are those of the number, so that the contents are in all shards. */
const uuid = (n: number): string => {
  const digits = n.toString(16).padStart(12, "0")
  return `01890a5d-ac96-774b-8bce-${digits}`
}

/** Stores rows and files without syncing them: as many uploads would take too long. */
const seed = Effect.fnUntraced(function* (directory: string) {
  const sql = yield* SqlClient
  const layout = Layout.make(directory)
  const batch = 10_000
  for (let from = 0; from < contents; from += batch) {
    const ids = Array.from({ length: Math.min(batch, contents - from) }, (_, index) => uuid(from + index))
    for (const id of ids) {
      const path = Layout.locate(layout, BlobKey.make({ ...bucket, blobId: `blb_${id}` }))?.path ?? ""
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, "content!")
    }
    const json = JSON.stringify(ids)
    const source = sql.onDialectOrElse({
      pg: () => sql`SELECT value AS id FROM jsonb_array_elements_text(CAST(${json} AS jsonb))`,
      orElse: () => sql`SELECT value AS id FROM json_each(${json})`
    })
    const owner = sql`CAST(${bucket.tenantId} AS text), CAST(${bucket.bucketId} AS text)`
    yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, size, sha256, file_id, created_at)
      SELECT 'blb_' || id, ${owner}, 'READY', 8, 'x', 'fil_' || id, 0 FROM (${source}) AS s`
    yield* sql`INSERT INTO file (id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at,
        updated_at, blob_id, size, sha256, etag, content_type, type, stored_at)
      SELECT 'fil_' || id, ${owner}, '/', id, 1, '{}', '[]', 0, 0, 'blb_' || id, 8, 'x', 'x', 'text/plain', 'TEXT', 0
      FROM (${source}) AS s`
  }
})

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

/** Returns the bytes of the heap and of buffers that are in use. */
const liveBytes = (): number => {
  collectGarbage()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

/** Runs an effect and prints its figures. A collection takes some 10 ms: one in each half second changes the speed little. */
const measure = <A, E, R>(name: string, self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = { live: liveBytes(), resident: process.memoryUsage.rss() }
    const most = { ...before }
    const timer = setInterval(() => {
      most.resident = Math.max(most.resident, process.memoryUsage.rss())
      most.live = Math.max(most.live, liveBytes())
    }, 500)
    const [start, cpu] = [yield* Clock.currentTimeMillis, process.cpuUsage()]
    const result = yield* self
    const seconds = ((yield* Clock.currentTimeMillis) - start) / 1000
    const { system, user } = process.cpuUsage(cpu)
    clearInterval(timer)
    const perContent = ((user + system) / contents).toFixed(0)
    process.stdout.write(
      `${name.padEnd(6)} ${Math.round(contents / seconds)} contents/s, ${perContent} µs of processor time each, ` +
        `in use ${mebibytes(before.live)} + ${mebibytes(most.live - before.live)}, ` +
        `resident ${mebibytes(before.resident)} + ${mebibytes(most.resident - before.resident)}: ${JSON.stringify(result)}\n`
    )
  })

const program = Effect.gen(function* () {
  const directory = yield* TemporaryDirectory.make(values.directory, contents * 8192)
  const metadata =
    values.database === "postgres"
      ? Layer.unwrap(
          Effect.map(
            Effect.flatMap(PostgresServer.Postgres, ({ createDatabase }) => createDatabase),
            (url) => PostgresMetadata.layer({ url })
          )
        ).pipe(Layer.provide(PostgresServer.layer({ locale: "C.UTF-8", isDurable: true })))
      : SqliteMetadata.layer({ file: join(directory, "holdfast.sqlite") })
  const stores = Layer.merge(metadata, FsBlobStore.layer({ directory }))
  const services = Layer.merge(Sweeper.layer, Fsck.layer)
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`INSERT INTO tenant (id, name, subdomain, created_at, updated_at) VALUES (${bucket.tenantId}, 't', 't', 0, 0)`
    yield* sql`INSERT INTO bucket (id, tenant_id, name, created_at, updated_at)
      VALUES (${bucket.bucketId}, ${bucket.tenantId}, 'b', 0, 0)`
    yield* seed(directory)
    yield* measure("fsck", (yield* Fsck.Fsck).check())
    yield* sql`DELETE FROM file`
    yield* sql`UPDATE blob SET state = 'DOOMED', due_at = 1`
    yield* measure("sweep", (yield* Sweeper.Sweeper).sweep())
    const rest = yield* (yield* BlobRepository).list({ limit: 1 })
    if (rest.length > 0) throw new Error("The sweep left rows of blobs.")
    yield* (yield* BlobStore).check
  }).pipe(Effect.provide(Layer.provideMerge(services, stores)))
})

await Effect.runPromise(Effect.scoped(program))
