/**
 * `holdfast restore`: restores a snapshot into a deployment without data.
 */
import * as Effect from "effect/Effect"
import type * as Backup from "../../backup/Backup.ts"
import * as Restore from "../../backup/Restore.ts"
import * as RestoreDamaged from "../../backup/RestoreDamaged.ts"
import * as Output from "../terminal/Output.ts"
import { formatBytes } from "../terminal/Progress.ts"
import * as BackupReport from "./BackupReport.ts"
import * as Fsck from "./Fsck.ts"

export interface DamagedOptions {
  readonly directory: string
  readonly json: boolean
}

export interface Options extends DamagedOptions {
  readonly snapshot: string | undefined
  readonly pauseMirrors: boolean
}

/** Prints a summary. Fails if records and contents differ afterwards. */
export const run = Effect.fnUntraced(function* (settings: Backup.BackupSettings, { json, ...options }: Options) {
  const report = BackupReport.make("restore")
  const result = yield* Restore.restore(settings, {
    ...options,
    ...report,
    onFinding: (finding) => Output.writeError(Fsck.describe(finding))
  }).pipe(Effect.ensuring(Effect.sync(report.finish)))
  const { bytes, count, createdAt, findings, hasSecretKey, id } = result
  yield* Output.writeLine(
    json
      ? JSON.stringify(result)
      : `Restored the snapshot ${id} of ${createdAt}: ${count} contents, ${formatBytes(bytes)}; ${findings} findings.`
  )
  if (!hasSecretKey && settings.secretKey === undefined) {
    yield* Output.writeError(
      "The backup has no secret key. Set HOLDFAST_SECRET_KEY to that of the deployment before you start the service."
    )
  }
  if (findings > 0) {
    return yield* new BackupReport.BackupFault({
      message: "The restored deployment is incomplete: see the findings above."
    })
  }
})

/** Prints every content that was restored, and a summary. Fails if a content is still damaged. */
export const runOnlyDamaged = Effect.fnUntraced(function* (
  settings: Backup.BackupSettings,
  { directory, json }: DamagedOptions
) {
  const report = BackupReport.make("check")
  report.onBegin(undefined)
  const result = yield* RestoreDamaged.restoreDamaged(settings, {
    ...report,
    directory,
    onRestored: (key) => report.onProblem(`Restored   ${key}`)
  }).pipe(Effect.ensuring(Effect.sync(report.finish)))
  const { checked, lost, restored } = result
  yield* Output.writeLine(
    json ? JSON.stringify(result) : `${checked} contents checked: ${restored} restored, ${lost} still damaged.`
  )
  if (lost > 0) {
    return yield* new BackupReport.BackupFault({
      message: `${lost} contents are damaged or missing, and so they are in the backup.`
    })
  }
})
