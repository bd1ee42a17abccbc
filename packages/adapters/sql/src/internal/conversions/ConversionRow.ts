/**
 * Reads rows of conversions.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ConversionClaim } from "@holdfast/core/conversions/ConversionClaim"
import type { ConversionFault, StoredConversion } from "@holdfast/core/conversions/StoredConversion"
import { StreamState } from "@holdfast/core/conversions/StreamRecord"
import type { Mode } from "@holdfast/core/transcoding/ConversionPlan"
import { Format, Presentation } from "@holdfast/core/transcoding/Presentation"
import * as Row from "../Row.ts"
import { RowFault } from "../../SqlFailure.ts"

/** The columns of `toConversion`, qualified by the table because a statement may join other tables. */
export const columns = `conversion.id, conversion.format, conversion.mode, conversion.state, conversion.progress,
  conversion.presentation, conversion.fault_code, conversion.fault_detail, conversion.started_at, conversion.finished_at`

/** The column `progress` counts millionths. */
const progressScale = 1_000_000

/** Returns a progress from 0 to 1 as its column value. */
export const toStoredProgress = (progress: number): number =>
  Math.round(Math.min(Math.max(progress, 0), 1) * progressScale)

const modes: ReadonlyArray<Mode> = ["auto", "encodeAudio", "transcode"]

const codes: ReadonlyArray<ConversionFault["code"]> = [
  "not_a_video",
  "content_encrypted",
  "content_damaged",
  "conversion_failed",
  "transcoder_unavailable",
  "storage_full",
  "internal"
]

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Presentation))

export const toPresentation = (row: Row.Row, column: string): Presentation => {
  const found = decode(Row.text(row, column))
  if (Option.isNone(found)) throw new RowFault({ column })
  return found.value
}

export const toState = (row: Row.Row): StreamState => Row.oneOf(StreamState.literals, row, "state")
export const toMode = (row: Row.Row): Mode => Row.oneOf(modes, row, "mode")

export const toFault = (row: Row.Row): ConversionFault | null =>
  row.fault_code === null ? null : { code: Row.oneOf(codes, row, "fault_code"), detail: Row.text(row, "fault_detail") }

export const toConversion: Row.FromRow<StoredConversion> = (row) => ({
  id: Row.text(row, "id"),
  format: Row.oneOf(Format.literals, row, "format"),
  mode: toMode(row),
  state: toState(row),
  progress: Row.int(row, "progress") / progressScale,
  presentation: Row.orNull(toPresentation, row, "presentation"),
  fault: toFault(row),
  startedAt: Row.orNull(Row.instant, row, "started_at"),
  finishedAt: Row.orNull(Row.instant, row, "finished_at")
})

/** The columns of `toClaim`. */
export const claimColumns = "id, tenant_id, bucket_id, file_id, blob_id, attempt, tries, interruptions, format, mode"

export const toClaim: Row.FromRow<Omit<ConversionClaim, "isLadder" | "takesOver">> = (row) => ({
  conversionId: Row.text(row, "id"),
  tenantId: Row.text(row, "tenant_id"),
  bucketId: Row.text(row, "bucket_id"),
  fileId: Row.text(row, "file_id"),
  blobId: Row.text(row, "blob_id"),
  fencingToken: Row.int(row, "attempt"),
  attempts: Row.int(row, "tries"),
  interruptions: Row.int(row, "interruptions"),
  format: Row.oneOf(Format.literals, row, "format"),
  mode: toMode(row)
})
