/**
 * `member <database>`: reads how many rows the table `t` has, as one of several processes that share the database, until it is killed.
 * Prints each number that it reads for the first time.
 */
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { writeSync } from "node:fs"
import * as Sqlite from "../../src/Sqlite.ts"

const [file = ""] = process.argv.slice(2)

await Effect.gen(function* () {
  const { readClient } = yield* Sqlite.makeClients({ file, sharing: "member" })
  if (readClient === undefined) return yield* Effect.die("no client for reads")
  let last: unknown
  while (true) {
    const [row] = yield* readClient<{ readonly rows: number }>`SELECT count(*) AS rows FROM t`
    if (row?.rows !== last) writeSync(1, `rows ${row?.rows}\n`)
    last = row?.rows
    yield* Effect.yieldNow
  }
}).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise)
