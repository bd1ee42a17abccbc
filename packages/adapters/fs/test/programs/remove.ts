/**
 * `remove <directory> <key>`: opens a store and removes a blob twice. Prints a line after each removal.
 */
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import * as FsBlobStore from "../../src/FsBlobStore.ts"

const [directory = "", key = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const store = yield* FsBlobStore.make({ directory })
  for (const turn of ["once", "twice"]) {
    yield* store.remove(key)
    writeSync(1, `removed ${turn}\n`)
  }
})

await Effect.runPromise(Effect.scoped(program))
