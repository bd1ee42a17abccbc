/**
 * From whatever a command failed with to one line and an exit code.
 */
import * as CliError from "effect/cli/CliError"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"

/** The command was called wrongly, or its configuration is wrong. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

export interface Verdict {
  readonly code: number
  /** Undefined when the user has been told already. */
  readonly line: string | undefined
}

const usage = 2
const failed = 1
const interrupted = 130

/** Errors of use and configuration, by tag. */
const usageTags: ReadonlySet<string> = new Set(["UsageError", "ConfigurationError", "RootKeyInvalid", "SecretKeyInvalid"])

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

/** Errors of the ports, whose message says no more than which port it was. */
const isPortError = (error: Error): boolean => "_tag" in error && (error._tag === "MetadataError" || error._tag === "BlobError")

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const message = firstLine(error.message)
  const reason = isPortError(error) ? deepest(error) : undefined
  return reason === undefined || reason === message ? message : `${message} ${reason}`
}

/** How a command ended that did not succeed. */
export const verdict = (cause: Cause.Cause<unknown>): Verdict => {
  const error = Cause.squash(cause)
  if (CliError.isCliError(error)) {
    return error._tag === "ShowHelp"
      ? { code: error.errors.length === 0 ? 0 : usage, line: undefined }
      : { code: usage, line: error.message }
  }
  if (Cause.hasInterruptsOnly(cause)) return { code: interrupted, line: undefined }
  const tag = Predicate.hasProperty(error, "_tag") ? error._tag : undefined
  if (tag === undefined) return { code: failed, line: Cause.pretty(cause) }
  if (tag === "Interrupted") return { code: interrupted, line: describe(error) }
  return { code: Predicate.isString(tag) && usageTags.has(tag) ? usage : failed, line: describe(error) }
}
