import { execFile } from "node:child_process"
import { join } from "node:path"
import process from "node:process"
import { promisify } from "node:util"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Temporary from "../support/Temporary.ts"

const program = join(import.meta.dirname, "..", "programs", "damagedIndex.ts")

/** Returns what the program prints. It has a process of its own: a read that waits for the header blocks its thread. */
const run = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const file = yield* Temporary.file
    const { stdout } = yield* Effect.promise(() =>
      promisify(execFile)(process.execPath, [program, file, ...args], { timeout: 30_000, killSignal: "SIGKILL" })
    )
    return stdout
  })

it.live(
  "index of the log: process killed between the two copies of the header → reads and commits go on",
  () => Effect.map(run(), (printed) => expect(printed).toBe("[1,2]")),
  60_000
)

it.live(
  "index of the log: process suspended there → caches count as old; reads and commits go on when it continues",
  () => Effect.map(run("suspended"), (printed) => expect(printed).toBe("changing [1,3]")),
  60_000
)
