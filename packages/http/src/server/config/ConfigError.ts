/**
 * The error of a configuration that cannot be used. It holds all faults of the settings.
 */
import * as Data from "effect/Data"
import type { SettingType } from "./SettingType.ts"

/** One fault of the configuration. */
export interface ConfigFault {
  /**
   * The setting's name and source: `HOLDFAST_PORT in the environment`, `--port on the command line`, `port in
   * /etc/holdfast.json`.
   */
  readonly source: string
  readonly problem: string
}

/** The text of a setting together with its source. */
export interface SourcedText {
  readonly source: string
  readonly text: string
}

/** Quotes a text; at most 80 characters are shown. */
const quote = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)

/** Returns the fault of a text that its type does not accept. The fault does not contain a secret text. */
export const invalidValue = ({ source, text }: SourcedText, type: SettingType<unknown>): ConfigFault => ({
  source,
  problem: `expected ${type.expected}; ${type.isSecret === true ? "the value is not shown" : `got ${quote(text)}`}`
})

/** The configuration cannot be used. It is raised before the service listens or opens a store. */
export class ConfigError extends Data.TaggedError("ConfigError")<{
  readonly faults: readonly [ConfigFault, ...ReadonlyArray<ConfigFault>]
}> {
  /** Returns one line for each fault, without secrets. */
  render(): string {
    return this.faults.map(({ problem, source }) => `${source}: ${problem}.`).join("\n")
  }

  override get message(): string {
    return this.render()
  }
}
