/**
 * Programs of tests that need a process of their own.
 */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"

export interface Options {
  readonly args?: ReadonlyArray<string>
  /** The program's environment, besides PATH. */
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program. Returns what it prints; fails when it exits with an error. An interruption ends it. */
export const run = (program: URL, { args = [], env = {} }: Options = {}): Effect.Effect<string, Error> =>
  Effect.callback((resume) => {
    const options = { env: { PATH: process.env["PATH"], ...env } }
    const child = execFile(process.execPath, [fileURLToPath(program), ...args], options, (error, stdout) =>
      resume(error === null ? Effect.succeed(stdout) : Effect.fail(error))
    )
    return Effect.sync(() => child.kill())
  })
