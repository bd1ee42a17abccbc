/**
 * Leaves the header of the log's index as a process does that is killed while it writes it, or with `suspended` one that is
 * suspended and keeps the write lock, and reads the database then.
 */
import { openSync, readSync, writeSync } from "node:fs"
import process from "node:process"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Sqlite from "../../src/Sqlite.ts"

const [file = "", state] = process.argv.slice(2)

/** SQLite writes the second copy of the header first. This changes its counter of commits. */
const damage = Effect.sync(() => {
  // Closing the file would release the locks of SQLite.
  const index = openSync(`${file}-shm`, "r+")
  const counter = new Uint32Array(1)
  readSync(index, counter, 0, 4, 48 + 8)
  writeSync(
    index,
    counter.map((count) => count + 1),
    0,
    4,
    48 + 8
  )
})

const program = Effect.gen(function* () {
  const { client: sql, version = () => 0 } = yield* Sqlite.makeClients({ file, sharing: "keeper" })
  yield* sql`CREATE TABLE t (id integer)`
  yield* sql`INSERT INTO t VALUES (1)`
  yield* damage
  const before = yield* sql`SELECT id FROM t`
  yield* damage
  yield* sql`INSERT INTO t VALUES (2)`
  if (state === "suspended") {
    const writer = new DatabaseSync(file)
    writer.exec("BEGIN IMMEDIATE")
    yield* damage
    process.stdout.write(version() < version() ? "changing " : "constant ")
    writer.exec("INSERT INTO t VALUES (3); COMMIT")
  }
  const after = yield* sql`SELECT id FROM t`
  if (version() !== version()) throw new Error("The version still changes.")
  process.stdout.write(JSON.stringify([before.length, after.length]))
})

await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(Reactivity.layer)))
