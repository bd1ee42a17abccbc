/**
 * Parses the command line of the benchmarks.
 */
import { parseArgs } from "node:util"
import * as Sizes from "../fixtures/Sizes.ts"
import type { Scenario } from "./Scenario.ts"

export interface Arguments {
  readonly scenarios: ReadonlyArray<Scenario>
  readonly databases: ReadonlyArray<"sqlite" | "postgres">
  readonly sizes: Sizes.Sizes
  /** The file that the results are also written to, as JSON. */
  readonly json: string | undefined
  /** The parent of temporary files; undefined for the system's directory for them. */
  readonly directory: string | undefined
  /** The directory in which the service stores its CPU profiles. */
  readonly profile: string | undefined
}

/** Returns the help text. */
export const usage = (scenarios: ReadonlyArray<Scenario>): string =>
  [
    "pnpm bench [scenario…] [options]",
    "",
    "Measures the service against plain node:http servers in the same run. Without a scenario all of them run:",
    "",
    ...scenarios.map(({ description, name }) => `  ${name.padEnd(14)}${description}`),
    "",
    "  --database NAME   sqlite or postgres; without it both",
    "  --quick           small sizes: rough ratios in a minute",
    "  --json FILE       also writes the results, with every round, as JSON",
    "  --directory DIR   for temporary files; use the kind of disk that is to be measured",
    "  --profile DIR     the service writes a .cpuprofile of each run to DIR, which makes it slower",
    "  --help",
    ""
  ].join("\n")

const selectScenarios = (names: ReadonlyArray<string>, all: ReadonlyArray<Scenario>): ReadonlyArray<Scenario> => {
  const unknown = names.find((name) => !all.some((scenario) => scenario.name === name))
  if (unknown !== undefined) throw new Error(`There is no scenario ${unknown}. See --help.`)
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
}

const selectDatabases = (name: string | undefined): Arguments["databases"] => {
  if (name === undefined) return ["sqlite", "postgres"]
  if (name === "sqlite" || name === "postgres") return [name]
  throw new Error(`--database must be sqlite or postgres, not ${name}.`)
}

/** Returns the parsed arguments; undefined for `--help`. Throws an error with a message for the user. */
export const parse = (args: ReadonlyArray<string>, all: ReadonlyArray<Scenario>): Arguments | undefined => {
  const { positionals, values } = parseArgs({
    args: args.filter((argument) => argument !== "--"),
    allowPositionals: true,
    options: {
      database: { type: "string" },
      quick: { type: "boolean", default: false },
      json: { type: "string" },
      directory: { type: "string" },
      profile: { type: "string" },
      help: { type: "boolean", short: "h", default: false }
    }
  })
  if (values.help) return undefined
  return {
    scenarios: selectScenarios(positionals, all),
    databases: selectDatabases(values.database),
    sizes: values.quick ? Sizes.quick : Sizes.full,
    json: values.json,
    directory: values.directory,
    profile: values.profile
  }
}
