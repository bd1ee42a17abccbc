import { expect, layer, vi } from "@effect/vitest"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { EventRepository } from "@holdfast/core/events/EventRepository"
import { FileRepository, type Position } from "@holdfast/core/files/FileRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Statements from "@holdfast/testing/metadata/Statements"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Store from "./support/Store.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

/** More rows than a page reads at most, so that the last page begins after them. */
const others = 2100

/** Inserts files without content, which are the first ones of the bucket. */
const reserveMany = (bucket: BucketRef) =>
  Effect.flatMap(
    SqlClient,
    (
      sql
    ) => sql`INSERT INTO file (id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at, updated_at)
      SELECT ${bucket.bucketId} || n, ${bucket.tenantId}, ${bucket.bucketId}, '/', 'a' || lpad(n::text, 6, '0'), 0, '{}', '[]', 0, 0
      FROM generate_series(1, ${others}::int) AS s (n)`
  )

/** Inserts events before all others of the tenant. */
const recordMany = (tenantId: string) =>
  Effect.flatMap(
    SqlClient,
    (sql) => sql`INSERT INTO event (tenant_id, id, action, actor, detail)
      SELECT ${tenantId}, 'evt_' || lpad(n::text, 36, '0'), 'test', 'SYSTEM', '{}'
      FROM generate_series(1, ${others}::int) AS s (n)`
  )

requires(Server.missing).describe("lists on PostgreSQL", () =>
  layer(Store.layer("C.UTF-8"), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("files with state READY: others removed while a page is read → no file is passed over", () =>
      Effect.gen(function* () {
        const [files, sql] = [yield* FileRepository, yield* SqlClient]
        const bucket = yield* Fixtures.bucket()
        yield* reserveMany(bucket)
        const stored = yield* Effect.forEach(["b1", "b2", "b3"], (name) => Fixtures.store(bucket, { path: "/", name }))
        const list = (after?: Position) =>
          files.list({ bucket, query: { path: "/", recursive: false, state: "READY" }, after, limit: 2 })
        const remove = sql`DELETE FROM file WHERE bucket_id = ${bucket.bucketId} AND blob_id IS NULL AND name < 'a000500'`
        const first = yield* Statements.withChangeAfterFirst(list(), remove)
        const found = [...first.files]
        for (let next = first.next; next !== null;) {
          const page = yield* list(next)
          found.push(...page.files)
          next = page.next
        }
        expect(found.map(({ id }) => id)).toEqual(stored.map(({ id }) => id))
      })
    )

    it.effect("events with an outcome: others removed while a page is read → no event is passed over", () =>
      Effect.gen(function* () {
        const [events, sql] = [yield* EventRepository, yield* SqlClient]
        const { tenantId } = yield* Fixtures.bucket()
        yield* recordMany(tenantId)
        const last = Sample.id("evt")
        yield* sql`INSERT INTO event (tenant_id, id, action, actor, detail)
          VALUES (${tenantId}, ${last}, 'request.refused', 'SYSTEM', '{}')`
        const list = (after?: string) =>
          events.list({ tenantId, filter: { outcome: "REFUSED" }, order: "OLDEST_FIRST", after, limit: 2 })
        const remove = sql`DELETE FROM event WHERE tenant_id = ${tenantId} AND action = 'test' AND id < ${`evt_${"500".padStart(36, "0")}`}`
        const first = yield* Statements.withChangeAfterFirst(list(), remove)
        const found = [...first.events]
        for (let next = first.next; next !== null;) {
          const page = yield* list(next)
          found.push(...page.events)
          next = page.next
        }
        expect(found.map(({ id }) => id)).toEqual([last])
      })
    )
  })
)
