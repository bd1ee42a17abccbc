/**
 * Registers tests that require something of the machine: a program, a right, a server. Where it is missing, the tests are
 * skipped, with the reason in their name. With `HOLDFAST_REQUIRE=all` in the environment, as in continuous integration, they
 * fail.
 */
import { describe, it, type Vitest } from "@effect/vitest"
import type * as Scope from "effect/Scope"
import * as ChildProcess from "node:child_process"

/** The functions that register tests, like vitest's own. */
export interface Registration {
  /** A test with Effect's test services. */
  readonly effect: Vitest.Test<Scope.Scope>
  /** A test with the real clock. */
  readonly live: Vitest.Test<Scope.Scope>
  /** A group of tests. */
  readonly describe: (name: string, body: () => void) => void
}

/** Registers a test that is skipped, or fails. */
const registerMissing = (name: string, reason: string): void => {
  if (process.env["HOLDFAST_REQUIRE"] === "all") {
    it(name, () => {
      throw new Error(`A requirement is missing: ${reason}`)
    })
  } else {
    it.skip(`${name} [skipped: ${reason}]`, () => {})
  }
}

/**
 * Returns the functions that register tests. `missing` is why the tests cannot run, such as "strace is not installed";
 * undefined if they can.
 */
export const requires = (missing: string | undefined): Registration =>
  missing === undefined
    ? { effect: it.effect, live: it.live, describe: (name, body) => void describe(name, body) }
    : {
        effect: (name) => registerMissing(name, missing),
        live: (name) => registerMissing(name, missing),
        describe: (name) => registerMissing(name, missing)
      }

const run = (name: string, args: ReadonlyArray<string>): string | undefined => {
  const { error, status, stderr } = ChildProcess.spawnSync(name, args, { encoding: "utf8" })
  if (error !== undefined) {
    return "code" in error && error.code === "ENOENT" ? `${name} is not installed` : `${name}: ${error.message}`
  }
  return status === 0 ? undefined : `${name} does not work here: ${stderr.trim().split("\n", 1)[0]}`
}

/** The results of commands: dozens of test files of a process ask whether ffmpeg works. */
const results = new Map<string, string | undefined>()

/** Runs a command, once in a process, and returns why it does not work; undefined if it exits with 0. */
export const command = (name: string, ...args: ReadonlyArray<string>): string | undefined => {
  const key = JSON.stringify([name, ...args])
  if (!results.has(key)) results.set(key, run(name, args))
  return results.get(key)
}

/** Returns the first reason; undefined without one. */
export const firstMissing = (...missing: ReadonlyArray<string | undefined>): string | undefined =>
  missing.find((reason) => reason !== undefined)
