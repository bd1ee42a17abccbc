/**
 * Parses the command line of the benchmarks.
 */
import { parseArgs } from "node:util"
import * as Sizes from "../fixtures/Sizes.ts"
import * as CommonArguments from "./CommonArguments.ts"
import type { Scenario } from "./Scenario.ts"

export interface Arguments extends CommonArguments.CommonArguments {
  readonly scenarios: ReadonlyArray<Scenario>
  readonly sizes: Sizes.Sizes
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

/** Returns the parsed arguments; undefined for `--help`. Throws an error with a message for the user. */
export const parse = (args: ReadonlyArray<string>, all: ReadonlyArray<Scenario>): Arguments | undefined => {
  const { positionals, values } = parseArgs({
    args: args.filter((argument) => argument !== "--"),
    allowPositionals: true,
    options: CommonArguments.options
  })
  if (values.help) return undefined
  return {
    ...CommonArguments.of(values),
    scenarios: CommonArguments.select("scenario", positionals, all),
    sizes: values.quick ? Sizes.quick : Sizes.full
  }
}
