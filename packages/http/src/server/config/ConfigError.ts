/**
 * What is wrong with the settings: every fault at once, a line each.
 */
import * as Data from "effect/Data"
import type { Kind } from "./ConfigKind.ts"

/** Something that is wrong, with the name that the operator gave it and the place where it stands. */
export interface Fault {
  /** `HOLDFAST_PORT in the environment`, `--port on the command line`, `port in /etc/holdfast.json`. */
  readonly where: string
  readonly what: string
}

/** A value, with where it was given. */
export interface Given {
  readonly where: string
  readonly text: string
}

const shown = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)

/** The fault of a value that its kind does not accept. A secret value is not part of it. */
export const unacceptable = ({ text, where }: Given, kind: Kind<unknown>): Fault => ({
  where,
  what: `expected ${kind.accepts}; ${kind.isSecret === true ? "the value is not shown" : `got ${shown(text)}`}`
})

/** The settings cannot be used. Nothing listens yet when this is found. */
export class ConfigError extends Data.TaggedError("ConfigError")<{
  readonly faults: readonly [Fault, ...ReadonlyArray<Fault>]
}> {
  /** A line for each fault, without secrets. */
  render(): string {
    return this.faults.map(({ what, where }) => `${where}: ${what}.`).join("\n")
  }

  override get message(): string {
    return this.render()
  }
}
