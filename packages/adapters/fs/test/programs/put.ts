/**
 * `put <directory> <seed> <sizes> [whole]`: opens a store and puts a blob of each size (bytes, separated by commas), one after the
 * other. Prints each acknowledged key, or the reason of a failure. With `whole` the bytes of each blob are known ahead.
 */
import * as WholeContents from "@holdfast/core/storage/WholeContents"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import * as FsBlobStore from "../../src/FsBlobStore.ts"

const [directory = "", seed = "", sizes = "", how = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const store = yield* FsBlobStore.make({ directory })
  const bucket = `${Generate.id("ten", Number(seed), 0)}/${Generate.id("bkt", Number(seed), 1)}`
  writeSync(1, "open\n")
  for (const size of sizes.split(",").map(Number)) {
    const key = `${bucket}/${Generate.id("blb", Number(seed), size)}`
    const content = how === "whole" ? WholeContents.stream(Generate.bytes(size, size)) : Generate.stream(size, size)
    yield* store.put(key, content).pipe(
      Effect.match({
        onFailure: ({ reason }) => writeSync(1, `failed ${size} ${reason}\n`),
        onSuccess: () => writeSync(1, `acknowledged ${size} ${key}\n`)
      })
    )
  }
})

await Effect.runPromise(Effect.scoped(program))
