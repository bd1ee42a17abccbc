/**
 * What the commands for backups print while they run.
 */
import * as Data from "effect/Data"
import type * as CopyContents from "../../backup/CopyContents.ts"
import * as Progress from "../terminal/Progress.ts"

/** The result is not what the operator expects: the lines above it say why. */
export class BackupFault extends Data.TaggedError("BackupFault")<{ readonly message: string }> {}

const meanings = {
  Missing: "the content is missing",
  WrongSize: "the size of the content differs from its record",
  Damaged: "the SHA-256 of the content differs from its record"
} as const

export interface BackupReport extends CopyContents.Observer {
  /** Starts to show the progress of a number of bytes; undefined when it is unknown. */
  readonly onBegin: (bytes: number | undefined) => void
  /** Prints a line to standard error, in between the progress. */
  readonly onProblem: (problem: string) => void
  /** Ends the display of the progress. */
  readonly finish: () => void
}

/** Shows progress and faults on standard error, so that standard output has the result only. */
export const make = (label: string): BackupReport => {
  let progress: Progress.Progress | undefined
  const finish = (): void => {
    progress?.finish()
    progress = undefined
  }
  const onProblem = (problem: string): void => void process.stderr.write(`${problem}\n`)
  return {
    onBegin: (bytes) => {
      finish()
      progress = Progress.make(label, bytes)
    },
    onBytes: (bytes) => progress?.add(bytes),
    onFault: ({ key, kind }) => onProblem(`${kind.padEnd(9)}  ${key}  ${meanings[kind]}`),
    onProblem,
    finish
  }
}
