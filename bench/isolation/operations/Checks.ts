/**
 * Commands of the operator that work while the service runs.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Priority from "../../support/processes/Priority.ts"
import { attempt } from "../../support/run/BenchFailure.ts"
import * as Calls from "../Calls.ts"
import type { Operation } from "../Operation.ts"

const main = fileURLToPath(import.meta.resolve("@holdfast/http/main"))

export const fsck: Operation = {
  name: "fsck",
  description: "holdfast fsck, in a process of its own, with a large bucket",
  prepare: Effect.fnUntraced(function* (site) {
    yield* site.largeBucket
    const { database, holdfast } = site.service
    const env = {
      ...process.env,
      ...database.environment,
      HOLDFAST_DATA_DIR: join(site.directory, "holdfast"),
      HOLDFAST_ROOT_KEY: holdfast.rootKey
    }
    const work = attempt(
      "fsck",
      () =>
        new Promise<string>((resolve, reject) => {
          const start = performance.now()
          const child = spawn(process.execPath, [main, "fsck"], { env, stdio: "ignore" })
          if (child.pid !== undefined) Priority.restore(child.pid)
          child.once("error", reject)
          child.once("exit", (code) => resolve(`exit ${code} after ${Calls.duration(performance.now() - start)}`))
        })
    )
    return { work }
  })
}
