import { describe, expect, it } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { onBehalfOf } from "@holdfast/core/CurrentTenant"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { QuotaRepository } from "@holdfast/core/quotas/QuotaRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"
import * as Temporary from "./support/Temporary.ts"

/** A store in a file. */
const makeStore = (options: Partial<Parameters<typeof SqliteMetadata.layer>[0]> = {}) =>
  Layer.unwrap(Effect.map(Temporary.file, (file) => SqliteMetadata.layer({ ...options, file })))

/** A read of the database that takes about a second. */
const slowRead = Effect.flatMap(
  SqlClient,
  (sql) => sql`WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 3000000)
    SELECT count(*) AS count FROM s`
)

const startSlowReads = (tenantId: string, count: number) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.forkScoped(onBehalfOf(tenantId)(slowRead), { startImmediately: true })
  )

describe("reads of a SQLite file", () => {
  it.live("slow read → look-ups, writes and reads of other tenants end before it", () =>
    Effect.gen(function* () {
      const [sql, files] = [yield* SqlClient, yield* FileRepository]
      const bucket = yield* Fixtures.bucket()
      yield* sql`SELECT 1`
      const slow = yield* startSlowReads("a", 4)
      const file = yield* onBehalfOf("b")(Fixtures.store(bucket))
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(file))
      const query = { path: "/", recursive: true }
      expect(yield* onBehalfOf("b")(files.list({ bucket, query, limit: 10 }))).toMatchObject({ files: [file] })
      expect(slow.map((fiber) => fiber.pollUnsafe())).toEqual([undefined, undefined, undefined, undefined])
      for (const fiber of slow) expect(yield* Fiber.join(fiber)).toEqual([{ count: 3_000_000 }])
    }).pipe(Effect.provide(makeStore()))
  )

  it.live("read waits for a thread for longer than statementTimeout → MetadataError of reason Timeout", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const slow = yield* startSlowReads("a", 1)
      const list = files.list({ bucket, query: { path: "/", recursive: true }, limit: 200 })
      expect(yield* Effect.flip(onBehalfOf("a")(list))).toMatchObject({ reason: "Timeout", isRetryable: true })
      for (const fiber of slow) yield* Fiber.join(fiber)
      expect(yield* onBehalfOf("a")(list)).toMatchObject({ files: [] })
    }).pipe(Effect.provide(makeStore({ statementTimeout: "20 millis" })))
  )

  it.live("slow read of the same tenant → an upload's look-ups of bucket and quota do not wait for a thread", () =>
    Effect.gen(function* () {
      const [buckets, quotas] = [yield* BucketRepository, yield* QuotaRepository]
      const bucket = yield* Fixtures.bucket()
      const [slow] = yield* startSlowReads(bucket.tenantId, 1)
      const lookUps = Effect.all([buckets.find(bucket), quotas.find(bucket.tenantId)])
      const found = yield* onBehalfOf(bucket.tenantId)(lookUps)
      expect(found).toMatchObject([Option.some({ id: bucket.bucketId }), Option.some({})])
      expect(slow?.pollUnsafe()).toBe(undefined)
      if (slow !== undefined) yield* Fiber.join(slow)
    }).pipe(Effect.provide(makeStore({ statementTimeout: "20 millis" })))
  )

  it.live("read after a write → sees it, also with rows of every type; a failed read → SqlError", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE t (a integer PRIMARY KEY, b text, c blob)`
      for (let i = 0; i < 100; i++) {
        yield* sql`WITH n (i) AS (SELECT ${i}) INSERT INTO t SELECT i, ${`x${i}`}, ${new Uint8Array([i])} FROM n`
        const row = { a: i, b: `x${i}`, c: new Uint8Array([i]) }
        expect(yield* sql`SELECT a, b, c FROM t WHERE a = ${i}`).toEqual([row])
        expect(yield* sql`SELECT * FROM t WHERE a = ${i}`.unprepared).toEqual([row])
        expect(yield* sql`SELECT a, b, c FROM t WHERE a = ${i}`.values).toEqual([Object.values(row)])
      }
      expect(yield* Effect.flip(sql`SELECT * FROM missing`)).toMatchObject({ _tag: "SqlError" })
      expect(yield* Effect.flip(sql`SELECT ${Symbol("x")}`)).toMatchObject({ _tag: "SqlError" })
    }).pipe(Effect.provide(makeStore()))
  )
})
