/**
 * Loads the configuration of the service. Command-line options take precedence over the environment, the environment
 * over the configuration file, and the file over the defaults. An empty environment variable counts as unset.
 */
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as BlobStores from "./blobs/BlobStores.ts"
import { ConfigError, type ConfigFault, invalidValue, type SourcedText } from "./ConfigError.ts"
import * as ConfigFile from "./ConfigFile.ts"
import type { Setting } from "./Setting.ts"
import { configFile, optionName, type SettingName, settingNames, settings, type SettingValues } from "./SettingTable.ts"

export type Config = SettingValues

/** The sources of settings. The configuration file is named by one of them. */
export interface Sources {
  /** Command-line options by setting name; `config` is the path of the configuration file. */
  readonly options?: { readonly [N in SettingName | "config"]?: string | undefined }
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether standard output is a terminal, which changes some defaults. */
  readonly isTerminal?: boolean
}

const fromOptions = (
  { options }: Sources,
  name: SettingName | "config",
  setting: Setting<unknown>
): SourcedText | undefined => {
  const text = options?.[name]
  return text === undefined ? undefined : { source: `--${optionName(name, setting) ?? name} on the command line`, text }
}

const fromEnvironment = ({ environment }: Sources, { variables }: Setting<unknown>): SourcedText | undefined => {
  const variable = variables.find((name) => (environment[name] ?? "") !== "")
  return variable === undefined
    ? undefined
    : { source: `${variable} in the environment`, text: environment[variable] ?? "" }
}

const fromDefaults = ({ isTerminal }: Sources, setting: Setting<unknown>): SourcedText | undefined => {
  const text = (isTerminal === true ? setting.terminalDefaultText : undefined) ?? setting.defaultText
  return text === undefined ? undefined : { source: "the default", text }
}

const readFile = (sources: Sources): Effect.Effect<ConfigFile.Contents, never, FileSystem.FileSystem> => {
  const path = fromOptions(sources, "config", configFile) ?? fromEnvironment(sources, configFile)
  return path === undefined ? Effect.succeed(ConfigFile.empty) : ConfigFile.read(path.text, new Set(settingNames))
}

/** Returns the configuration that the sources define, or fails with all faults. Reads only the configuration file. */
export const load = Effect.fnUntraced(function* (
  sources: Sources
): Effect.fn.Return<Config, ConfigError, FileSystem.FileSystem | Digest> {
  const file = yield* readFile(sources)
  const faults: Array<ConfigFault> = [...file.faults]
  const values: Partial<Record<SettingName, unknown>> = {}
  for (const name of settingNames) {
    const setting: Setting<unknown> = settings[name]
    const sourced =
      fromOptions(sources, name, setting) ??
      fromEnvironment(sources, setting) ??
      file.settings.get(name) ??
      fromDefaults(sources, setting)
    if (sourced === undefined) continue
    const value = yield* setting.type.parse(sourced.text.trim())
    if (Option.isSome(value)) values[name] = value.value
    else faults.push(invalidValue(sourced, setting.type))
  }
  const [first, ...rest] = faults
  if (first !== undefined) return yield* new ConfigError({ faults: [first, ...rest] })
  // Each value was parsed by the type of its own setting, which is what `SettingValues` declares.
  const config = values as SettingValues
  const blobStore = BlobStores.resolve(config)
  if (Result.isFailure(blobStore)) return yield* new ConfigError({ faults: [blobStore.failure] })
  return config
})
