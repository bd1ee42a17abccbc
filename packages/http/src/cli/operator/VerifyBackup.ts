/**
 * `holdfast verify-backup`: reads all of a backup and compares it with its records.
 */
import * as Effect from "effect/Effect"
import * as VerifyBackup from "../../backup/VerifyBackup.ts"
import * as Output from "../terminal/Output.ts"
import * as BackupReport from "./BackupReport.ts"

export interface Options {
  readonly directory: string
  readonly snapshot: string | undefined
  readonly json: boolean
}

/** Prints a summary. Fails if something is missing or damaged. */
export const run = Effect.fnUntraced(function* ({ json, ...options }: Options) {
  const report = BackupReport.make("verify")
  const result = yield* VerifyBackup.verify({ ...options, ...report }).pipe(Effect.ensuring(Effect.sync(report.finish)))
  const { contents, faults, snapshots } = result
  yield* Output.writeLine(
    json ? JSON.stringify(result) : `${snapshots.length} snapshots, ${contents} contents: ${faults} faults.`
  )
  if (faults > 0) {
    return yield* new BackupReport.BackupFault({
      message: "The backup is incomplete or damaged. Remove the files that are named above and back up again."
    })
  }
})
