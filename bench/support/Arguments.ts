/**
 * The command line.
 */
import { parseArgs } from "node:util"
import type { Scenario } from "./Stage.ts"
import * as Sizes from "./fixtures/Sizes.ts"

export interface Arguments {
  readonly scenarios: ReadonlyArray<Scenario>
  readonly databases: ReadonlyArray<"sqlite" | "postgres">
  readonly sizes: Sizes.Sizes
  /** Where the results go as JSON too. */
  readonly json: string | undefined
  /** Where temporary files go; the system's directory for them when undefined. */
  readonly directory: string | undefined
  /** Where the service leaves profiles of its processor time. */
  readonly profile: string | undefined
}

/** The help text. */
export const usage = (scenarios: ReadonlyArray<Scenario>): string =>
  [
    "pnpm bench [scenario…] [options]",
    "",
    "Measures the service against plain node:http servers in the same run. All scenarios run when none is named:",
    "",
    ...scenarios.map(({ about, name }) => `  ${name.padEnd(14)}${about}`),
    "",
    "  --database NAME   sqlite or postgres; both when absent",
    "  --quick           small sizes: rough ratios in a minute",
    "  --json FILE       also writes the results, with every round, as JSON",
    "  --directory DIR   for temporary files; it should be on the kind of disk that is meant",
    "  --profile DIR     has the service leave a .cpuprofile of each run there (its times grow by that)",
    "  --help",
    ""
  ].join("\n")

const chosenScenarios = (names: ReadonlyArray<string>, all: ReadonlyArray<Scenario>): ReadonlyArray<Scenario> => {
  const unknown = names.find((name) => !all.some((scenario) => scenario.name === name))
  if (unknown !== undefined) throw new Error(`There is no scenario ${unknown}. See --help.`)
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
}

const chosenDatabases = (name: string | undefined): Arguments["databases"] => {
  if (name === undefined) return ["sqlite", "postgres"]
  if (name === "sqlite" || name === "postgres") return [name]
  throw new Error(`--database is sqlite or postgres, not ${name}.`)
}

/** Reads them; undefined where help is asked for. Throws with a message for the user. */
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
    scenarios: chosenScenarios(positionals, all),
    databases: chosenDatabases(values.database),
    sizes: values.quick ? Sizes.quick : Sizes.full,
    json: values.json,
    directory: values.directory,
    profile: values.profile
  }
}
