/**
 * `holdfast backup`: makes a snapshot of the deployment in a directory.
 */
import * as Effect from "effect/Effect"
import * as Backup from "../../backup/Backup.ts"
import type { ContentMode } from "../../backup/SnapshotRecord.ts"
import * as Output from "../terminal/Output.ts"
import { formatBytes } from "../terminal/Progress.ts"
import * as BackupReport from "./BackupReport.ts"

export interface Options {
  readonly destination: string
  readonly contents: ContentMode
  readonly adoptDestination: boolean
  readonly keep: number | undefined
  readonly json: boolean
  readonly version: string
}

const describe = (result: Backup.BackupResult): string => {
  const { bytes, contents, copied, copiedBytes, count, id } = result
  const what = `${count} contents, ${formatBytes(bytes)}`
  return contents === "manifest"
    ? `Snapshot ${id}: ${what}, which are only listed.`
    : `Snapshot ${id}: ${what}; copied ${copied}, ${formatBytes(copiedBytes)}.`
}

/** Prints the result. Fails if contents are lost. */
export const run = Effect.fnUntraced(function* (settings: Backup.BackupSettings, { json, ...options }: Options) {
  const report = BackupReport.make("backup")
  const result = yield* Backup.backup(settings, { ...options, ...report }).pipe(
    Effect.ensuring(Effect.sync(report.finish))
  )
  yield* Output.writeLine(json ? JSON.stringify(result) : describe(result))
  if (!json && result.removedSnapshots.length > 0) {
    yield* Output.writeLine(
      `Removed the snapshots ${result.removedSnapshots.join(", ")} and ${result.removedContents} contents.`
    )
  }
  if (!result.hasSecretKey && !json) {
    yield* Output.writeError("The backup has no secret key. Keep the value of HOLDFAST_SECRET_KEY apart from it.")
  }
  if (result.lost > 0) {
    return yield* new BackupReport.BackupFault({
      message: `${result.lost} contents are missing or damaged in the store. The backup has all others.`
    })
  }
})
