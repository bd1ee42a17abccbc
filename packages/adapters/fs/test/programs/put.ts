/**
 * `put <directory> <seed> <sizes>`: opens a store and puts a blob of each size (bytes, separated by commas), one after the
 * other. Prints each acknowledged key, or the reason of a failure.
 */
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import * as FsBlobStore from "../../src/FsBlobStore.ts"

const [directory = "", seed = "", sizes = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const store = yield* FsBlobStore.make({ directory })
  const bucket = `${Generate.id("ten", Number(seed), 0)}/${Generate.id("bkt", Number(seed), 1)}`
  writeSync(1, "open\n")
  for (const size of sizes.split(",").map(Number)) {
    const key = `${bucket}/${Generate.id("blb", Number(seed), size)}`
    yield* store.put(key, Generate.stream(size, size)).pipe(
      Effect.match({
        onFailure: ({ reason }) => writeSync(1, `failed ${size} ${reason}\n`),
        onSuccess: () => writeSync(1, `acknowledged ${size} ${key}\n`)
      })
    )
  }
})

await Effect.runPromise(Effect.scoped(program))
