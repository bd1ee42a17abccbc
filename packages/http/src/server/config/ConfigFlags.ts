/**
 * The settings as options of the command line, made from their table.
 */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { Sources } from "./Config.ts"
import { file, names, optionOf, type Setting, settings } from "./ConfigSettings.ts"

const flagOf = (option: string, { description, fallback, kind }: Setting<unknown>) => {
  const text = fallback === undefined || fallback === "" ? description : `${description} Default: ${fallback}`
  const flag = Flag.String(option).pipe(Flag.withDescription(text))
  return Flag.optional(kind.bare === undefined ? flag : Flag.withOptionalValue(flag, kind.bare))
}

/** An option for each setting that may be one; values stay text, so that `Config.load` judges them all. */
export const flags: Readonly<Record<string, Flag.Flag<Option.Option<string>>>> = Object.fromEntries(
  [...names.map((name) => [name, settings[name]] as const), ["config", file] as const].flatMap(([name, setting]) => {
    const option = optionOf(name, setting)
    return option === undefined ? [] : [[name, flagOf(option, setting)]]
  })
)

/** What the parser made of `flags`, as `Config.load` takes it. */
export const options = (parsed: Readonly<Record<string, Option.Option<string>>>): NonNullable<Sources["options"]> =>
  Object.fromEntries(Object.entries(parsed).map(([name, text]) => [name, Option.getOrUndefined(text)]))
