/**
 * Converts the failure of a command to an exit code and to lines for standard error.
 */
import { StoreMismatch } from "@holdfast/core/deployment/StoreIdentity"
import { InvalidRequest } from "@holdfast/core/Errors"
import { innermostMessage, MetadataError } from "@holdfast/core/MetadataError"
import * as CliError from "effect/cli/CliError"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"
import { NoDatabase } from "../server/startup/NoDatabase.ts"
import { ConfigError } from "../server/config/ConfigError.ts"
import { WorkerProcessFailed } from "../server/workers/WorkerProcess.ts"
import { InterruptedBySignal } from "./Signals.ts"

/** The arguments of the command are invalid. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

export interface CommandExit {
  readonly code: number
  /** One line for each fault; none if `Presenter` has printed them already. */
  readonly lines: ReadonlyArray<string>
}

const usageCode = 2
const failureCode = 1
/** As shells report a process that SIGINT ended. */
const interruptedCode = 130

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? ""

/** The tags of errors whose message only names the component that failed. */
const tagsWithoutDetail: ReadonlySet<unknown> = new Set([
  "MetadataError",
  "BlobError",
  "SqlError",
  "DirectoryLockError"
])

/** Whether the message lacks the cause. The message of a lock that another process holds is complete. */
const needsCause = (error: Error): boolean =>
  "_tag" in error && tagsWithoutDetail.has(error._tag) && !("reason" in error && error.reason === "Held")

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const message = firstLine(error.message)
  const cause = needsCause(error) ? firstLine(innermostMessage(error) ?? message) : undefined
  const text = cause === undefined || message.includes(cause) ? message : `${message} ${cause}`
  const isSetting =
    error instanceof MetadataError && error.isOpening && ["Unavailable", "Internal"].includes(error.reason)
  return isSetting ? `${text}. Check DATABASE_URL and --data-dir.` : text
}

/** Returns the exit code and the lines to print for the failure of a command. */
export const toExit = (cause: Cause.Cause<unknown>): CommandExit => {
  const error = Cause.squash(cause)
  if (CliError.isCliError(error)) {
    return error._tag === "ShowHelp"
      ? { code: error.errors.length === 0 ? 0 : usageCode, lines: [] }
      : { code: usageCode, lines: [error.message] }
  }
  if (error instanceof ConfigError) return { code: usageCode, lines: error.render().split("\n") }
  if (error instanceof NoDatabase || error instanceof StoreMismatch) return { code: usageCode, lines: [error.message] }
  if (error instanceof MetadataError && error.reason === "Incompatible") {
    return { code: usageCode, lines: [error.message] }
  }
  if (error instanceof WorkerProcessFailed) return { code: error.code, lines: [] }
  if (error instanceof UsageError) return { code: usageCode, lines: [error.message] }
  if (error instanceof InvalidRequest) {
    // The fields of the inputs have the names of the options.
    return { code: usageCode, lines: error.errors.map(({ detail, pointer }) => `--${pointer.slice(1)}: ${detail}`) }
  }
  if (error instanceof InterruptedBySignal) return { code: interruptedCode, lines: [error.message] }
  if (Cause.hasInterruptsOnly(cause)) return { code: interruptedCode, lines: [] }
  // An error without a tag is a bug, for which the whole trace is useful.
  return { code: failureCode, lines: [Predicate.hasProperty(error, "_tag") ? describe(error) : Cause.pretty(cause)] }
}
