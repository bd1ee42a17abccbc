/**
 * Reports environment variables that look like settings and are none: a misspelled setting has its default, such as another data
 * directory. They end no start, because variables of other programs may have the same prefix.
 */
import * as SimilarNames from "@holdfast/core/inputs/SimilarNames"
import * as Effect from "effect/Effect"
import * as RemoteVariables from "../config/RemoteVariables.ts"
import { configFile, settingNames, settings } from "../config/SettingTable.ts"

const prefix = "HOLDFAST_"

const variables: ReadonlyArray<string> = [
  ...configFile.variables,
  ...settingNames.flatMap((name): ReadonlyArray<string> => settings[name].variables)
]

/** Variables of the commands that upload and download, of the documented requests, and of the scripts in the repository. */
const others = [
  ...Object.values(RemoteVariables.variables),
  ...["API_KEY", "NO_INSTALL", "REQUIRE"].map((name) => prefix + name)
]

const known: ReadonlySet<string> = new Set([...variables, ...others])

const withoutPrefix = (name: string): string => name.slice(prefix.length)

/** Returns the setting that a name resembles. */
const findSimilar = (name: string): string | undefined => {
  const similar = SimilarNames.find(
    withoutPrefix(name),
    variables.filter((variable) => variable.startsWith(prefix)).map(withoutPrefix)
  )
  return similar === undefined ? undefined : prefix + similar
}

/** Logs one message for each variable that no setting has. It does not contain the value, which may be a secret. */
export const warn = (environment: Readonly<Record<string, string | undefined>>): Effect.Effect<void> =>
  Effect.forEach(
    Object.keys(environment).filter((name) => name.startsWith(prefix) && !known.has(name)),
    (variable) =>
      Effect.annotateLogs(Effect.logWarning("environment variable ignored; no setting has this name"), {
        variable,
        didYouMean: findSimilar(variable)
      }),
    { discard: true }
  )
