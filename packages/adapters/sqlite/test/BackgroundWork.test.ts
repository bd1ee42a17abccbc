import { describe, expect, it } from "@effect/vitest"
import { asBackgroundWork } from "@holdfast/core/BackgroundWork"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"
import * as Temporary from "./support/Temporary.ts"

const store = Layer.unwrap(Effect.map(Temporary.file, (file) => SqliteMetadata.layer({ file })))

describe("background work on a SQLite file", () => {
  it.live("transaction that takes long → look-ups and lists end before it, a change after it", () =>
    Effect.gen(function* () {
      const [sql, files] = [yield* SqlClient, yield* FileRepository]
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket)
      // The thread has started then, so that the transaction begins at once.
      yield* asBackgroundWork(sql`CREATE TABLE t (n integer)`)
      const slowWrite = sql`INSERT INTO t WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 3000000)
        SELECT count(*) FROM s`
      const slow = yield* Effect.forkScoped(asBackgroundWork(sql.withTransaction(slowWrite)), {
        startImmediately: true
      })
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(file))
      const query = { path: "/", recursive: true }
      expect(yield* files.list({ bucket, query, limit: 10 })).toMatchObject({ files: [file] })
      expect(slow.pollUnsafe()).toBeUndefined()
      yield* Fixtures.store(bucket)
      expect(yield* sql`SELECT n FROM t`).toEqual([{ n: 3_000_000 }])
      yield* Fiber.join(slow)
    }).pipe(Effect.provide(store))
  )

  it.live("the thread of background work starts → changes of requests do not wait for it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE t (id integer PRIMARY KEY, n integer)`
      const changes = [
        asBackgroundWork(sql.withTransaction(sql`INSERT INTO t (n) VALUES (1)`)),
        asBackgroundWork(sql`INSERT INTO t (n) VALUES (1)`),
        sql.withTransaction(sql`INSERT INTO t (n) VALUES (2)`),
        sql`INSERT INTO t (n) VALUES (2)`
      ]
      yield* Effect.all(changes, { concurrency: "unbounded", discard: true })
      expect(yield* sql`SELECT n FROM t ORDER BY id`.values).toEqual([[2], [2], [1], [1]])
    }).pipe(Effect.provide(store))
  )

  it.live(
    "statement of a transaction fails, or the transaction is interrupted → rolled back, the next one succeeds",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE t (n integer PRIMARY KEY)`
        const insert = sql`INSERT INTO t VALUES (1)`
        const fails = Effect.andThen(insert, Effect.andThen(insert, insert))
        const error = yield* Effect.flip(asBackgroundWork(sql.withTransaction(fails)))
        expect(error).toMatchObject({ reason: { _tag: "UniqueViolation" } })
        const waits = Effect.andThen(insert, Effect.never)
        const fiber = yield* Effect.forkScoped(asBackgroundWork(sql.withTransaction(waits)), { startImmediately: true })
        yield* Fiber.interrupt(fiber)
        expect(yield* sql`SELECT n FROM t`).toEqual([])
        expect(yield* asBackgroundWork(insert.raw)).toMatchObject({ changes: 1 })
        expect(yield* asBackgroundWork(sql.withTransaction(sql`SELECT * FROM t`.values))).toEqual([[1]])
      }).pipe(Effect.provide(store))
  )

  it.live("requests and background work write at the same time → all commits are stored, each transaction whole", () =>
    Effect.gen(function* () {
      const [files, blobs] = [yield* FileRepository, yield* BlobRepository]
      const bucket = yield* Fixtures.bucket()
      const writes = Array.from({ length: 60 }, (_, index) => {
        const write = Fixtures.store(bucket)
        return index % 2 === 0 ? write : asBackgroundWork(write)
      })
      const stored = yield* Effect.all(writes, { concurrency: "unbounded" })
      for (const { content, id } of stored) {
        expect(Option.isSome(yield* files.find(bucket, Fixtures.byId(id)))).toBe(true)
        expect((yield* Fixtures.blob(content.blobId))?.state).toBe("READY")
      }
      expect(yield* asBackgroundWork(blobs.expire({ before: Sample.at(90_000) }))).toBe(0)
    }).pipe(Effect.provide(store))
  )
})
