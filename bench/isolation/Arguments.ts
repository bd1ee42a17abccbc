/**
 * Parses the command line of `pnpm isolation`.
 */
import { parseArgs } from "node:util"
import type { Operation } from "./Operation.ts"
import * as Sizes from "./Sizes.ts"

export interface Arguments {
  readonly operations: ReadonlyArray<Operation>
  readonly databases: ReadonlyArray<"sqlite" | "postgres">
  readonly sizes: Sizes.Sizes
  /** The longest wait of the neighbour, in milliseconds. */
  readonly goalMs: number
  readonly json: string | undefined
  readonly directory: string | undefined
  readonly profile: string | undefined
}

/** Returns the help text. */
export const usage = (operations: ReadonlyArray<Operation>): string =>
  [
    "pnpm isolation [operation…] [options]",
    "",
    "Attacks the service, and runs large operations, while a client of another tenant reads a small file a hundred times per",
    "second. Prints the worst wait of that client, and exits with 1 where it is longer than the goal. Without an operation",
    "all of them run:",
    "",
    ...operations.map(({ description, name }) => `  ${name.padEnd(18)}${description}`),
    "",
    "  --database NAME   sqlite or postgres; without it both",
    "  --quick           small sizes: a check that everything runs",
    "  --files N         files in a large bucket; 1,000,000 when absent",
    "  --goal MS         the longest wait; 100 when absent",
    "  --json FILE       also writes the results as JSON",
    "  --directory DIR   for temporary files; use the kind of disk that is to be tested",
    "  --profile DIR     the service writes a .cpuprofile to DIR",
    "  --help",
    ""
  ].join("\n")

const selectOperations = (names: ReadonlyArray<string>, all: ReadonlyArray<Operation>): ReadonlyArray<Operation> => {
  const unknown = names.find((name) => !all.some((operation) => operation.name === name))
  if (unknown !== undefined) throw new Error(`There is no operation ${unknown}. See --help.`)
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
}

const selectDatabases = (name: string | undefined): Arguments["databases"] => {
  if (name === undefined) return ["sqlite", "postgres"]
  if (name === "sqlite" || name === "postgres") return [name]
  throw new Error(`--database must be sqlite or postgres, not ${name}.`)
}

const parseNumber = (name: string, text: string | undefined, absent: number): number => {
  const number = text === undefined ? absent : Number(text)
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name} must be a positive integer, not ${text}.`)
  return number
}

/** Returns the parsed arguments; undefined for `--help`. Throws an error with a message for the user. */
export const parse = (args: ReadonlyArray<string>, all: ReadonlyArray<Operation>): Arguments | undefined => {
  const { positionals, values } = parseArgs({
    args: args.filter((argument) => argument !== "--"),
    allowPositionals: true,
    options: {
      database: { type: "string" },
      quick: { type: "boolean", default: false },
      files: { type: "string" },
      goal: { type: "string" },
      json: { type: "string" },
      directory: { type: "string" },
      profile: { type: "string" },
      help: { type: "boolean", short: "h", default: false }
    }
  })
  if (values.help) return undefined
  const sizes = values.quick ? Sizes.quick : Sizes.full
  return {
    operations: selectOperations(positionals, all),
    databases: selectDatabases(values.database),
    sizes: { ...sizes, files: parseNumber("files", values.files, sizes.files) },
    goalMs: parseNumber("goal", values.goal, 100),
    json: values.json,
    directory: values.directory,
    profile: values.profile
  }
}
