/**
 * From whatever a command failed with to a line for the user and an exit code.
 */
import * as CliError from "effect/cli/CliError"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"
import { ConfigError } from "../server/config/ConfigError.ts"
import { InterruptedBySignal } from "./Signals.ts"

/** The command was called wrongly, or its configuration is wrong. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

export interface CommandExit {
  readonly code: number
  /** One for each fault; none when the user has been told already. */
  readonly lines: ReadonlyArray<string>
}

const usage = 2
const failed = 1
const interrupted = 130

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? ""

/** What the operator can act on stands at the bottom of the causes: a driver's "connection refused". */
const deepest = (error: unknown, depth = 0): string | undefined => {
  if (depth > 8 || !Predicate.isObject(error)) return undefined
  for (const name of ["cause", "reason", "errors"]) {
    const inner: unknown = Reflect.get(error, name)
    const found = deepest(Array.isArray(inner) ? inner[0] : inner, depth + 1)
    if (found !== undefined && found !== "") return found
  }
  return error instanceof Error ? firstLine(error.message) : undefined
}

/** Errors whose message says no more than which part it was. */
const vagueTags: ReadonlySet<unknown> = new Set(["MetadataError", "BlobError", "SqlError", "DirectoryLockError"])

/** A lock that somebody holds is all there is to know. */
const isVague = (error: Error): boolean =>
  "_tag" in error && vagueTags.has(error._tag) && !("reason" in error && error.reason === "Held")

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const message = firstLine(error.message)
  const reason = isVague(error) ? deepest(error) : undefined
  return reason === undefined || reason === message ? message : `${message} ${reason}`
}

/** How a command ended that did not succeed. */
export const toExit = (cause: Cause.Cause<unknown>): CommandExit => {
  const error = Cause.squash(cause)
  if (CliError.isCliError(error)) {
    return error._tag === "ShowHelp"
      ? { code: error.errors.length === 0 ? 0 : usage, lines: [] }
      : { code: usage, lines: [error.message] }
  }
  if (error instanceof ConfigError) return { code: usage, lines: error.render().split("\n") }
  if (error instanceof UsageError) return { code: usage, lines: [error.message] }
  if (error instanceof InterruptedBySignal) return { code: interrupted, lines: [error.message] }
  if (Cause.hasInterruptsOnly(cause)) return { code: interrupted, lines: [] }
  // What has no tag was not foreseen: a bug, whose whole trace is of use.
  return { code: failed, lines: [Predicate.hasProperty(error, "_tag") ? describe(error) : Cause.pretty(cause)] }
}
