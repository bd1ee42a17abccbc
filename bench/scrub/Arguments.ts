/**
 * Parses the command line of `pnpm scrub`.
 */
import { parseArgs } from "node:util"
import * as CommonArguments from "../support/run/CommonArguments.ts"

export interface Arguments extends CommonArguments.CommonArguments {
  /** Contents to store, without the copies of the mirror. */
  readonly contents: number
  /** The setting `HOLDFAST_SCRUB_RATE`; its default when undefined. */
  readonly rate: string | undefined
}

/** Half of the contents to damage are in a mirrored bucket, the others in another one. */
export const damagedPerBucket = 10

/** Returns the help text. */
export const usage = [
  "pnpm scrub [options]",
  "",
  `Stores small contents, flips a bit in ${2 * damagedPerBucket} of them, and starts a service, which scrubs. A mirror to the bucket of another`,
  "tenant has copies of half of the damaged ones. Prints how fast the scrub is and what it finds, and exits with 1 unless all",
  "damaged contents are found and those with a copy are repaired.",
  "",
  "  --database NAME   sqlite or postgres; without it both",
  "  --contents N      contents to store; 20,000 when absent",
  "  --rate BYTES      bytes per second that the scrub reads at most, as HOLDFAST_SCRUB_RATE",
  "  --directory DIR   for temporary files; use the kind of disk that is to be tested",
  "  --profile DIR     the service writes a .cpuprofile to DIR",
  "  --help",
  ""
].join("\n")

/** Returns the parsed arguments; undefined for `--help`. Throws an error with a message for the user. */
export const parse = (args: ReadonlyArray<string>): Arguments | undefined => {
  const { database, directory, help, profile } = CommonArguments.options
  const { values } = parseArgs({
    args: args.filter((argument) => argument !== "--"),
    options: {
      database,
      directory,
      help,
      profile,
      contents: { type: "string", default: "20000" },
      rate: { type: "string" }
    }
  })
  if (values.help) return undefined
  const contents = Number(values.contents)
  if (!Number.isSafeInteger(contents) || contents < 2 * damagedPerBucket) {
    throw new Error(`--contents must be an integer from ${2 * damagedPerBucket}, not ${values.contents}.`)
  }
  return { ...CommonArguments.of(values), contents, rate: values.rate }
}
