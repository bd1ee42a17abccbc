/**
 * Parses the command line of `pnpm isolation`.
 */
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import * as CommonArguments from "../support/run/CommonArguments.ts"
import type { Operation } from "./Operation.ts"
import * as Sizes from "./Sizes.ts"

export interface Arguments extends CommonArguments.CommonArguments {
  readonly operations: ReadonlyArray<Operation>
  readonly sizes: Sizes.Sizes
  /** The longest wait of the neighbour, in milliseconds. */
  readonly goalMs: number
  /** The longest time for which an operation is observed, in milliseconds; undefined when each is observed to its end. */
  readonly longestMs: number | undefined
  /** The directory of filled databases; undefined when each run fills its own. */
  readonly templates: string | undefined
}

/** Returns the help text. */
export const usage = (operations: ReadonlyArray<Operation>): string =>
  [
    "pnpm isolation [operation…] [options]",
    "",
    "Attacks the service, and runs large operations, while a client of another tenant reads a small file a hundred times per",
    "second. Prints the worst wait of that client, and exits with 1 where it is longer than the goal. As root on Linux, the",
    "attacking clients have the lowest priority: they take no processor time of the service. Without an operation all of",
    "them run:",
    "",
    ...operations.map(({ description, name }) => `  ${name.padEnd(18)}${description}`),
    "",
    "  --database NAME   sqlite or postgres; without it both",
    "  --quick           small sizes: a check that everything runs",
    "  --files N         files in a large bucket; 1,000,000 when absent",
    "  --templates DIR   keeps a filled database of each size in DIR, and starts from a copy of it",
    "  --seconds N       duration of an operation that has no end of its own; 20 when absent",
    "  --longest N       observes no operation for more than N seconds, also if it has not ended; it goes on meanwhile",
    "  --goal MS         the longest wait; 100 when absent",
    "  --json FILE       also writes the results as JSON",
    "  --directory DIR   for temporary files; use the kind of disk that is to be tested",
    "  --profile DIR     the service writes a .cpuprofile to DIR",
    "  --help",
    ""
  ].join("\n")

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
      ...CommonArguments.options,
      files: { type: "string" },
      goal: { type: "string" },
      longest: { type: "string" },
      seconds: { type: "string" },
      templates: { type: "string" }
    }
  })
  if (values.help) return undefined
  const sizes = values.quick ? Sizes.quick : Sizes.full
  return {
    ...CommonArguments.of(values),
    operations: CommonArguments.select("operation", positionals, all),
    sizes: {
      ...sizes,
      files: parseNumber("files", values.files, sizes.files),
      seconds: parseNumber("seconds", values.seconds, sizes.seconds)
    },
    longestMs: values.longest === undefined ? undefined : 1000 * parseNumber("longest", values.longest, 1),
    goalMs: parseNumber("goal", values.goal, 100),
    templates: values.templates === undefined ? undefined : resolve(values.templates)
  }
}
