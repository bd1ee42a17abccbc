/**
 * The options that the commands for backups share.
 */
import * as Flag from "effect/cli/Flag"

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print the result as one JSON object"),
  Flag.withDefault(false)
)

/** A snapshot of a backup. */
export const snapshot = (description: string) =>
  Flag.String("snapshot").pipe(Flag.withDescription(description), Flag.optional)
