/**
 * Changes of one turn of the event loop, or of the time of a sync, which are committed together.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Fs from "node:fs"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as FairPool from "@holdfast/sql/FairPool"
import * as GroupCommit from "../../src/internal/GroupCommit.ts"
import * as SqliteFile from "../../src/internal/SqliteFile.ts"
import * as Writer from "../../src/internal/Writer.ts"
import * as Sqlite from "../../src/Sqlite.ts"
import * as Temporary from "../support/Temporary.ts"

const open = Effect.gen(function* () {
  const file = yield* Temporary.file
  const sql = yield* Sqlite.make({ file }).pipe(Effect.provide(Reactivity.layer))
  yield* sql`CREATE TABLE item (id INTEGER PRIMARY KEY, value BLOB)`
  return { file, sql }
})

const stored = (sql: SqlClient) =>
  Effect.map(sql<{ readonly id: number }>`SELECT id FROM item ORDER BY id`, (rows) => rows.map(({ id }) => id))

const insert = (sql: SqlClient, id: number) => sql`INSERT INTO item (id) VALUES (${id})`

const each = { concurrency: "unbounded" } as const

/** A group whose sync of the log ends when `synced` is called. */
const openGroup = (isShared: boolean) =>
  Effect.gen(function* () {
    const file = yield* Temporary.file
    const database = yield* Effect.acquireRelease(
      Effect.sync(() => SqliteFile.open(file)),
      (opened) => Effect.sync(() => opened.close())
    )
    database.exec("CREATE TABLE item (id INTEGER PRIMARY KEY)")
    const waiting = new Array<() => void>()
    const registered = yield* Deferred.make<void>()
    const group = GroupCommit.make({
      writer: Writer.fromDatabase(database),
      turns: FairPool.make({ size: 1 }),
      isShared,
      whenSynced: (then) => {
        waiting.push(then)
        Deferred.doneUnsafe(registered, Effect.void)
      }
    })
    const add = (id: number) =>
      Effect.forkChild(
        group.run(({ connection }) => connection.execute(`INSERT INTO item (id) VALUES (${id})`, [], undefined)),
        { startImmediately: true }
      )
    const synced = () => {
      for (const then of waiting.splice(0)) then()
    }
    const count = () => database.prepare("SELECT COUNT(*) AS number FROM item").get()?.number
    return { add, count, database, group, registered, synced }
  })

describe("changes at the same time", () => {
  it.live("one transaction fails → the others are stored, and it leaves nothing", () =>
    Effect.gen(function* () {
      const { sql } = yield* open
      for (const [base, failing] of [
        [0, 0],
        [100, 5]
      ] as const) {
        const exits = yield* Effect.forEach(
          Array.from({ length: 8 }, (_, index) => index),
          (index) =>
            Effect.exit(
              sql.withTransaction(
                Effect.andThen(insert(sql, base + index), index === failing ? Effect.fail("refused") : Effect.void)
              )
            ),
          each
        )
        assert.deepStrictEqual(
          exits.map(Exit.isSuccess),
          exits.map((_, index) => index !== failing)
        )
        const rows = yield* stored(sql)
        assert.isFalse(rows.includes(base + failing))
        assert.strictEqual(rows.filter((id) => id >= base).length, 7)
      }
    })
  )

  it.live("32 statements and transactions → less log than a commit of each writes", () =>
    Effect.gen(function* () {
      const { file, sql } = yield* open
      const before = Fs.statSync(`${file}-wal`).size
      yield* Effect.forEach(
        Array.from({ length: 32 }, (_, index) => index),
        (index) => (index % 2 === 0 ? insert(sql, index) : sql.withTransaction(insert(sql, index))),
        each
      )
      assert.strictEqual((yield* stored(sql)).length, 32)
      assert.isBelow(Fs.statSync(`${file}-wal`).size - before, 16 * 4096)
    })
  )

  it.live("a statement fails → the others are stored", () =>
    Effect.gen(function* () {
      const { sql } = yield* open
      const exits = yield* Effect.forEach([1, 2, 1, 3], (id) => Effect.exit(insert(sql, id)), each)
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true])
      assert.deepStrictEqual(yield* stored(sql), [1, 2, 3])
    })
  )

  it.live("the database may not grow → what succeeded is stored, and nothing else", () =>
    Effect.gen(function* () {
      const { sql } = yield* open
      yield* sql`PRAGMA max_page_count = 40`
      const large = (id: number) => sql`INSERT INTO item (id, value) VALUES (${id}, zeroblob(400000))`
      for (const first of [0, 10, 20]) {
        const changes = [insert(sql, first), insert(sql, first + 1), large(first + 2), insert(sql, first + 3)].map(
          (change, index) =>
            Effect.as(first === 10 && index === 2 ? sql.withTransaction(change) : change, first + index)
        )
        const exits = yield* Effect.forEach(changes, Effect.exit, each)
        const succeeded = exits.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value] : []))
        assert.isFalse(succeeded.includes(first + 2))
        const rows = yield* stored(sql)
        assert.deepStrictEqual(
          rows.filter((id) => id >= first),
          succeeded
        )
      }
    })
  )

  it.live("a transaction waits within its turn → the earlier change is answered after the commit of both", () =>
    Effect.gen(function* () {
      const { sql } = yield* open
      const [entered, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const earlier = yield* Effect.forkChild(insert(sql, 1), { startImmediately: true })
      const waiting = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.andThen(insert(sql, 2), Effect.andThen(Deferred.succeed(entered, undefined), Deferred.await(gate)))
        ),
        { startImmediately: true }
      )
      yield* Deferred.await(entered)
      yield* Effect.sleep(0)
      assert.isUndefined(earlier.pollUnsafe())
      assert.deepStrictEqual(yield* stored(sql), [])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(waiting)
      yield* Fiber.join(earlier)
      assert.deepStrictEqual(yield* stored(sql), [1, 2])
    })
  )

  it.live("the log is synced meanwhile → changes of several turns are one commit, made when the sync ends", () =>
    Effect.gen(function* () {
      const { add, count, database, group, registered, synced } = yield* openGroup(false)
      const first = yield* add(1)
      yield* Deferred.await(registered)
      const second = yield* add(2)
      assert.isTrue(database.isTransaction)
      assert.isUndefined(first.pollUnsafe())
      synced()
      assert.isFalse(database.isTransaction)
      yield* Fiber.join(first)
      yield* Fiber.join(second)

      // What does not join the transaction ends it without waiting for the sync.
      const third = yield* add(3)
      yield* group.close
      assert.isFalse(database.isTransaction)
      yield* Fiber.join(third)
      assert.strictEqual(count(), 3)
    })
  )

  it.live("the log is synced meanwhile, other processes commit → the transaction begins when the sync has ended", () =>
    Effect.gen(function* () {
      const { add, count, database, registered, synced } = yield* openGroup(true)
      const first = yield* add(1)
      yield* Deferred.await(registered)
      const second = yield* add(2)
      assert.isFalse(database.isTransaction)
      synced()
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.isFalse(database.isTransaction)
      assert.strictEqual(count(), 2)
    })
  )

  it.live("a change that waits for the end of a sync is interrupted → the next one is committed", () =>
    Effect.gen(function* () {
      const { add, count, database, registered, synced } = yield* openGroup(true)
      const first = yield* add(1)
      yield* Deferred.await(registered)
      yield* Fiber.interrupt(first)
      const second = yield* add(2)
      synced()
      yield* Fiber.join(second)
      assert.isFalse(database.isTransaction)
      assert.strictEqual(count(), 1)
    })
  )
})
