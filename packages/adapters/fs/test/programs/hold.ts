/**
 * `hold <directory> [grandchild]`: opens a store and keeps it open until the end of its input. With `grandchild`, starts a
 * process that outlives it and prints its id.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { spawn } from "node:child_process"
import { writeSync } from "node:fs"
import * as FsBlobStore from "../../src/FsBlobStore.ts"

const [directory = "", grandchild] = process.argv.slice(2)

const input = Effect.callback<void>((resume) => {
  process.stdin.once("end", () => resume(Effect.void)).resume()
})

const program = Effect.gen(function* () {
  yield* FsBlobStore.make({ directory })
  if (grandchild !== undefined) {
    const child = spawn("sleep", ["600"], { stdio: "inherit" })
    writeSync(1, `grandchild ${child.pid}\n`)
  }
  writeSync(1, "open\n")
  yield* input
})

const exit = await Effect.runPromiseExit(Effect.scoped(program))
if (Exit.isFailure(exit)) {
  writeSync(1, `${Cause.pretty(exit.cause)}\n`)
  process.exitCode = 1
}
