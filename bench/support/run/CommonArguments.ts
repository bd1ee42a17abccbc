/**
 * The arguments that the benchmarks and `pnpm isolation` have in common: what runs, on which databases, and where results go.
 */
import * as Record from "effect/Record"
import { parseArgs, type ParseArgsOptionsConfig } from "node:util"

export interface CommonArguments {
  readonly databases: ReadonlyArray<"sqlite" | "postgres">
  /** The file that the results are also written to, as JSON. */
  readonly json: string | undefined
  /** The parent of temporary files; undefined for the system's directory for them. */
  readonly directory: string | undefined
  /** The directory in which the service stores its CPU profiles. */
  readonly profile: string | undefined
}

/** The options for `parseArgs` of `node:util`. */
export const options = {
  database: { type: "string" },
  quick: { type: "boolean", default: false },
  json: { type: "string" },
  directory: { type: "string" },
  profile: { type: "string" },
  help: { type: "boolean", short: "h", default: false }
} as const

interface Values {
  readonly database?: string | undefined
  readonly json?: string
  readonly directory?: string | undefined
  readonly profile?: string
}

const selectDatabases = (name: string | undefined): CommonArguments["databases"] => {
  if (name === undefined) return ["sqlite", "postgres"]
  if (name === "sqlite" || name === "postgres") return [name]
  throw new Error(`--database must be sqlite or postgres, not ${name}.`)
}

/** Returns the common arguments of parsed values. Throws an error with a message for the user. */
export const of = ({ database, directory, json, profile }: Values): CommonArguments => ({
  databases: selectDatabases(database),
  json,
  directory,
  profile
})

/**
 * Returns the values of options as numbers. Throws an error that names the option and its bounds.
 *
 * @param bounds The least number of each option, and the largest where there is one.
 */
export const numbers = <Name extends string>(
  values: Readonly<Record<NoInfer<Name>, string>>,
  bounds: Readonly<Record<Name, readonly [least: number, most?: number | undefined]>>
): Readonly<Record<Name, number>> =>
  Record.map(bounds, ([least, most = Number.MAX_SAFE_INTEGER], name) => {
    const value = Number(values[name])
    if (value >= least && value <= most) return value
    const atMost = most < Number.MAX_SAFE_INTEGER ? ` and at most ${most}` : ""
    throw new Error(`--${name} must be at least ${least}${atMost}.`)
  })

/** An option whose value is a number, and its bounds. */
export interface NumberOption {
  readonly default: number
  readonly least: number
  readonly most?: number
}

/**
 * Parses a command line with the options that name the databases and the directory, and options whose values are numbers. Returns
 * undefined for `--help`. Throws an error with a message for the user.
 */
export const parse = <Name extends string>(
  args: ReadonlyArray<string>,
  named: Readonly<Record<Name, NumberOption>>
): (CommonArguments & Readonly<Record<Name, number>>) | undefined => {
  const { database, directory, help } = options
  const texts = Record.map(named, (option) => ({ type: "string" as const, default: String(option.default) }))
  const all: ParseArgsOptionsConfig = { ...texts, database, directory, help }
  const { values } = parseArgs({ args: [...args], options: all })
  if (values["help"] === true) return undefined
  const textOf = (name: string) => (typeof values[name] === "string" ? values[name] : undefined)
  const given = Record.map(named, (_, name) => textOf(name) ?? "")
  const bounds = Record.map(named, ({ least, most }) => [least, most] as const)
  const common = of({ database: textOf("database"), directory: textOf("directory") })
  return { ...common, ...numbers<Name>(given, bounds) }
}

/** Returns the items that were named; all when none was. Throws for an unknown name, `kind` says of what. */
export const select = <Item extends { readonly name: string }>(
  kind: string,
  names: ReadonlyArray<string>,
  all: ReadonlyArray<Item>
): ReadonlyArray<Item> => {
  const unknown = names.find((name) => !all.some((item) => item.name === name))
  if (unknown !== undefined) throw new Error(`There is no ${kind} ${unknown}. See --help.`)
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
}
