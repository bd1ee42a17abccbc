/**
 * `putTogether <directory> <count> [whole]`: opens a store and puts blobs of one directory at the same time. Prints each acknowledged
 * key, or the reason of a failure. With `whole` the bytes of each blob are known ahead.
 */
import * as WholeContents from "@holdfast/core/storage/WholeContents"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import * as FsBlobStore from "../../src/FsBlobStore.ts"

const [directory = "", count = "", how = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const store = yield* FsBlobStore.make({ directory })
  const bucket = `${Generate.id("ten", 1, 0)}/${Generate.id("bkt", 1, 1)}`
  const put = (index: number) => {
    const key = `${bucket}/${Generate.id("blb", 1, index).slice(0, -2)}00`
    const content = how === "whole" ? WholeContents.stream(Generate.bytes(index, 4096)) : Generate.stream(index, 4096)
    return store.put(key, content).pipe(
      Effect.match({
        onFailure: ({ reason }) => writeSync(1, `failed ${index} ${reason}\n`),
        onSuccess: () => writeSync(1, `acknowledged ${index} ${key}\n`)
      })
    )
  }
  const indexes = Array.from({ length: Number(count) }, (_, index) => index)
  yield* Effect.forEach(indexes, put, { concurrency: "unbounded", discard: true })
})

await Effect.runPromise(Effect.scoped(program))
