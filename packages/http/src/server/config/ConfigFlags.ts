/**
 * The command-line options of the settings, generated from the table of settings.
 */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { Sources } from "./Config.ts"
import type { Setting } from "./Setting.ts"
import { configFile, optionName, settingNames, settings } from "./SettingTable.ts"

const toFlag = (option: string, { defaultText, description, type }: Setting<unknown>) => {
  const text = defaultText === undefined || defaultText === "" ? description : `${description} Default: ${defaultText}`
  const flag = Flag.String(option).pipe(Flag.withDescription(text))
  return Flag.optional(type.impliedText === undefined ? flag : Flag.withOptionalValue(flag, type.impliedText))
}

/**
 * One flag for each setting that has a command-line option, by setting name. Values remain text: `Config.load` parses
 * them together with those of the other sources.
 */
export const flags: Readonly<Record<string, Flag.Flag<Option.Option<string>>>> = Object.fromEntries(
  [...settingNames.map((name) => [name, settings[name]] as const), ["config", configFile] as const].flatMap(
    ([name, setting]) => {
      const option = optionName(name, setting)
      return option === undefined ? [] : [[name, toFlag(option, setting)]]
    }
  )
)

/** Converts the parsed `flags` to the options of `Config.load`. */
export const toOptions = (parsed: Readonly<Record<string, Option.Option<string>>>): NonNullable<Sources["options"]> =>
  Object.fromEntries(Object.entries(parsed).map(([name, text]) => [name, Option.getOrUndefined(text)]))
