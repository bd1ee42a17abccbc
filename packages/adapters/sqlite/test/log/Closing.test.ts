/**
 * The close of a database while effects still use it.
 */
import { assert, describe, it } from "@effect/vitest"
import { asBackgroundWork } from "@holdfast/core/BackgroundWork"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Scope from "effect/Scope"
import { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { DatabaseSync } from "node:sqlite"
import * as Sqlite from "../../src/Sqlite.ts"
import * as Temporary from "../support/Temporary.ts"

/** Opens a database of 1,000 rows in a scope of its own. */
const open = Effect.fnUntraced(function* (kind: string) {
  const file = kind === "file" ? yield* Temporary.file : ":memory:"
  const scope = yield* Scope.make()
  const sql = yield* Scope.provide(Sqlite.make({ file }), scope)
  yield* sql`CREATE TABLE number (value integer NOT NULL)`
  yield* sql`WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 1000)
    INSERT INTO number SELECT i FROM s`
  const insert = (value: number) => sql`INSERT INTO number VALUES (${value})`
  const close = Scope.close(scope, Exit.void)
  /** The values above 1,000 that the file has; those of a database in memory are lost with it. */
  const kept = Effect.sync(() => {
    if (kind !== "file") return undefined
    using database = new DatabaseSync(file)
    return database
      .prepare("SELECT value FROM number WHERE value > 1000 ORDER BY value")
      .all()
      .map(({ value }) => value)
  })
  return { sql, insert, close, kept, file }
})

/** Asserts that an effect has failed because the database was closed. */
const assertClosed = (exit: Exit.Exit<unknown, unknown>) => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  assert.instanceOf(error, SqlError)
  assert.strictEqual(error.reason._tag, "ConnectionError")
  assert.include(error.reason.message, "is closed")
}

const both: ReadonlyArray<
  readonly [name: string, as: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>]
> = [
  ["request", (self) => self],
  ["background work", asBackgroundWork]
]

describe.each(["file", "memory"])("close of a database in a %s", (kind) => {
  for (const [name, as] of both) {
    /** Begins a transaction that inserts 1001, waits for `go`, and continues with `rest`. */
    const begin = Effect.fnUntraced(function* <A, E>(rest: (insert: Opened["insert"]) => Effect.Effect<A, E>) {
      const opened = yield* open(kind)
      const { insert, sql } = opened
      const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const changes: Effect.Effect<unknown, E | SqlError> = insert(1001).pipe(
        Effect.andThen(Deferred.succeed(begun, undefined)),
        Effect.andThen(Deferred.await(go)),
        Effect.andThen(Effect.suspend(() => rest(insert)))
      )
      const fiber = yield* Effect.forkDetach(as(sql.withTransaction(changes)))
      yield* Deferred.await(begun)
      return { ...opened, fiber, go: Deferred.succeed(go, undefined) }
    })

    it.effect(`transaction of a ${name} ends soon → committed; a change that waits for it fails`, () =>
      Effect.gen(function* () {
        const { close, fiber, go, insert, kept } = yield* begin((insert) => insert(1002))
        const waiting = yield* Effect.forkDetach(insert(1003), { startImmediately: true })
        const closing = yield* Effect.forkChild(close, { startImmediately: true })
        assertClosed(yield* Fiber.await(waiting))
        yield* go
        yield* Fiber.join(fiber)
        yield* Fiber.join(closing)
        assertClosed(yield* Effect.exit(insert(1004)))
        assert.include([undefined, "1001,1002"], (yield* kept)?.join())
      }).pipe(Effect.provide(Reactivity.layer))
    )

    it.effect.each([
      ["a change", (insert: Opened["insert"]) => insert(1002)],
      ["success", () => Effect.void],
      ["failure", () => Effect.fail("refused" as const)]
    ] as const)(`transaction of a ${name} does not end → rolled back after 5 s; it continues with %s`, ([, rest]) =>
      Effect.gen(function* () {
        const { close, fiber, go, kept } = yield* begin<unknown, unknown>(rest)
        const closing = yield* Effect.forkChild(close, { startImmediately: true })
        yield* TestClock.adjust("4 seconds")
        assert.isUndefined(closing.pollUnsafe())
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(closing)
        yield* go
        const exit = yield* Fiber.await(fiber)
        if (Exit.isFailure(exit) && Cause.squash(exit.cause) === "refused") assert.strictEqual(rest.length, 0)
        else assertClosed(exit)
        assert.include([undefined, ""], (yield* kept)?.join())
      }).pipe(Effect.provide(Reactivity.layer))
    )

    it.effect(`stream of a ${name} whose consumer waits → a failure that says why, or the rows read before`, () =>
      Effect.gen(function* () {
        const { close, sql } = yield* open(kind)
        const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const rows = Stream.runForEach(sql`SELECT value FROM number`.stream, () =>
          Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go))
        )
        const fiber = yield* Effect.forkDetach(as(rows))
        yield* Deferred.await(begun)
        const closing = yield* Effect.forkChild(close, { startImmediately: true })
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(closing)
        yield* Deferred.succeed(go, undefined)
        const exit = yield* Fiber.await(fiber)
        if (kind === "memory") assertClosed(exit)
        else assert.isTrue(Exit.isSuccess(exit))
      }).pipe(Effect.provide(Reactivity.layer))
    )
  }
})

type Opened = Effect.Success<ReturnType<typeof open>>

describe("close of a database in a file", () => {
  it.effect("changes whose commit is not synced yet → durable, and their requests end", () =>
    Effect.gen(function* () {
      const { close, insert, kept } = yield* open("file")
      const changes = yield* Effect.forEach([1001, 1002, 1003], (value) =>
        Effect.forkDetach(insert(value), { startImmediately: true })
      )
      yield* close
      yield* Effect.forEach(changes, Fiber.join)
      assert.deepStrictEqual(yield* kept, [1001, 1002, 1003])
    }).pipe(Effect.provide(Reactivity.layer))
  )
})

it.effect("stream whose consumer stops early → its statement ends: the table can be dropped", () =>
  Effect.gen(function* () {
    const { close, sql } = yield* open("memory")
    assert.lengthOf(yield* Stream.runCollect(Stream.take(sql`SELECT value FROM number`.stream, 3)), 3)
    yield* sql`DROP TABLE number`
    yield* close
  }).pipe(Effect.provide(Reactivity.layer))
)
