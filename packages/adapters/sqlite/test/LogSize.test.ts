import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Sqlite from "../src/Sqlite.ts"
import * as Temporary from "./support/Temporary.ts"

const mebibyte = 1024 * 1024

const openStore = Effect.gen(function* () {
  const file = yield* Temporary.file
  const sql = yield* Sqlite.make({ file })
  yield* sql`CREATE TABLE t (data blob)`
  const write = (rows: number) =>
    Effect.repeat(sql`INSERT INTO t VALUES (zeroblob(65536))`, { times: rows - 1 }).pipe(Effect.asVoid)
  return { file, sql, write, logSize: () => statSync(`${file}-wal`).size }
})

const poll = (value: () => number, atMost: number) =>
  Effect.promise(() => expect.poll(value, { timeout: 30_000, interval: 50 }).toBeLessThanOrEqual(atMost))

describe("size of the write-ahead log of a SQLite file", () => {
  it.live(
    "a reader keeps its snapshot while 40 MiB are written → the log grows; the reader ends → the log is truncated",
    () =>
      Effect.gen(function* () {
        const { file, logSize, write } = yield* openStore
        const reader = yield* Effect.acquireRelease(
          Effect.sync(() => new DatabaseSync(file)),
          (database) => Effect.sync(() => database.close())
        )
        reader.exec("BEGIN; SELECT count(*) FROM t")
        yield* write(640)
        expect(logSize()).toBeGreaterThan(40 * mebibyte)
        expect(reader.prepare("SELECT count(*) AS n FROM t").get()).toEqual({ n: 0 })
        reader.exec("COMMIT")
        yield* poll(logSize, mebibyte)
        yield* write(1)
        expect(reader.prepare("SELECT count(*) AS n FROM t").get()).toEqual({ n: 641 })
      }).pipe(Effect.provide(Reactivity.layer)),
    120_000
  )

  it.live(
    "80 MiB are written beside reads without a pause → the log stays below 40 MiB, then becomes empty",
    () =>
      Effect.gen(function* () {
        const { logSize, sql, write } = yield* openStore
        let largest = 0
        const read = Effect.tap(sql`SELECT count(*) FROM t WHERE length(data) > 1`, () =>
          Effect.sync(() => (largest = Math.max(largest, logSize())))
        )
        const reads = Effect.forever(read)
        yield* Effect.raceFirst(Effect.all([reads, reads], { concurrency: 2 }), write(1280))
        expect(largest).toBeLessThan(40 * mebibyte)
        yield* poll(logSize, mebibyte)
      }).pipe(Effect.provide(Reactivity.layer)),
    120_000
  )
})
