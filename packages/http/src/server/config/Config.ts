/**
 * The configuration of the service: options of the command line before the environment, that before the file, that
 * before the defaults. An empty variable counts as absent.
 */
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as BlobLocation from "../compose/BlobLocation.ts"
import { ConfigError, type Fault, type Given, unacceptable } from "./ConfigError.ts"
import * as ConfigFile from "./ConfigFile.ts"
import { file, type Name, names, optionOf, type Setting, settings, type Values } from "./ConfigSettings.ts"

export type Config = Values

/** Where settings come from. */
export interface Sources {
  /** Options of the command line by the name of their setting; `config` names the file. */
  readonly options?: { readonly [N in Name | "config"]?: string | undefined }
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether standard output is a terminal; some defaults differ there. */
  readonly isTerminal?: boolean
}

const fromOptions = ({ options }: Sources, name: Name | "config", setting: Setting<unknown>): Given | undefined => {
  const text = options?.[name]
  return text === undefined ? undefined : { where: `--${optionOf(name, setting) ?? name} on the command line`, text }
}

const fromEnvironment = ({ environment }: Sources, { variables }: Setting<unknown>): Given | undefined => {
  const variable = variables.find((name) => (environment[name] ?? "") !== "")
  return variable === undefined
    ? undefined
    : { where: `${variable} in the environment`, text: environment[variable] ?? "" }
}

const fromDefaults = ({ isTerminal }: Sources, setting: Setting<unknown>): Given | undefined => {
  const text = (isTerminal === true ? setting.fallbackAtTerminal : undefined) ?? setting.fallback
  return text === undefined ? undefined : { where: "the default", text }
}

const readFile = (sources: Sources): Effect.Effect<ConfigFile.Contents, never, FileSystem.FileSystem> => {
  const path = fromOptions(sources, "config", file) ?? fromEnvironment(sources, file)
  return path === undefined ? Effect.succeed(ConfigFile.empty) : ConfigFile.read(path.text, new Set(names))
}

/**
 * The configuration that the sources make. Fails with all faults at once; reads nothing but the file.
 */
export const load = Effect.fnUntraced(function* (
  sources: Sources
): Effect.fn.Return<Config, ConfigError, FileSystem.FileSystem | Digest> {
  const contents = yield* readFile(sources)
  const faults: Array<Fault> = [...contents.faults]
  const values: Partial<Record<Name, unknown>> = {}
  for (const name of names) {
    const setting: Setting<unknown> = settings[name]
    const given =
      fromOptions(sources, name, setting) ??
      fromEnvironment(sources, setting) ??
      contents.given.get(name) ??
      fromDefaults(sources, setting)
    if (given === undefined) continue
    const value = yield* setting.kind.read(given.text.trim())
    if (Option.isSome(value)) values[name] = value.value
    else faults.push(unacceptable(given, setting.kind))
  }
  const [first, ...rest] = faults
  if (first !== undefined) return yield* new ConfigError({ faults: [first, ...rest] })
  // Each name was read by the kind of its own setting, which is what `Values` says.
  const config = values as Values
  const place = BlobLocation.of(config)
  if (Result.isFailure(place)) return yield* new ConfigError({ faults: [place.failure] })
  return config
})
