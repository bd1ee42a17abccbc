/**
 * Options that several commands have.
 */
import * as Flag from "effect/cli/Flag"

/** An option without a value. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** An option with a number from 1 that may be absent. */
export const count = (name: string, description: string) =>
  Flag.Int(name).pipe(
    Flag.withDescription(description),
    Flag.filter(
      (number) => number > 0,
      (number) => `Expected a number from 1, got ${number}`
    ),
    Flag.optional
  )

/** An option with a text that may be absent. */
export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** The format of the result of a command that prints one. */
export const json = toggle("json", "Print the result as one JSON object")
