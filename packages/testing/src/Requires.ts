/**
 * Tests that need something of the machine: a tool, a right, a server. Where it is missing they are skipped, with the
 * reason in their name; with `HOLDFAST_REQUIRE=all` in the environment, as in continuous integration, they fail.
 */
import { describe, it, type Vitest } from "@effect/vitest"
import type * as Scope from "effect/Scope"
import * as ChildProcess from "node:child_process"

/** Registers tests, as vitest's own functions do. */
export interface Registration {
  /** A test with Effect's test services. */
  readonly effect: Vitest.Test<Scope.Scope>
  /** A test with the real clock. */
  readonly live: Vitest.Test<Scope.Scope>
  /** A group of tests. */
  readonly describe: (name: string, body: () => void) => void
}

const absent = (name: string, reason: string): void => {
  if (process.env["HOLDFAST_REQUIRE"] === "all") {
    it(name, () => {
      throw new Error(`A requirement is missing: ${reason}`)
    })
  } else {
    it.skip(`${name} [skipped: ${reason}]`, () => {})
  }
}

/**
 * The functions to register tests with, given what is missing for them: undefined when nothing is, else a reason such
 * as "strace is not installed".
 */
export const requires = (missing: string | undefined): Registration =>
  missing === undefined
    ? { effect: it.effect, live: it.live, describe: (name, body) => void describe(name, body) }
    : {
        effect: (name) => absent(name, missing),
        live: (name) => absent(name, missing),
        describe: (name) => absent(name, missing)
      }

/** What is missing to run a command: undefined when the arguments make it end with 0. */
export const command = (name: string, ...args: ReadonlyArray<string>): string | undefined => {
  const { error, status, stderr } = ChildProcess.spawnSync(name, args, { encoding: "utf8" })
  if (error !== undefined) {
    return "code" in error && error.code === "ENOENT" ? `${name} is not installed` : `${name}: ${error.message}`
  }
  return status === 0 ? undefined : `${name} does not work here: ${stderr.trim().split("\n", 1)[0]}`
}

/** The first thing that is missing. */
export const firstMissing = (...missing: ReadonlyArray<string | undefined>): string | undefined =>
  missing.find((reason) => reason !== undefined)
