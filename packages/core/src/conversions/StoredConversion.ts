/**
 * A conversion as the repository stores it.
 */
import type * as DateTime from "effect/DateTime"
import type { ContentDamaged } from "../files/FileErrors.ts"
import type { Mode } from "../transcoding/ConversionPlan.ts"
import type { Format, Presentation, Rendition } from "../transcoding/Presentation.ts"
import type { TranscodeError } from "../transcoding/TranscodeError.ts"
import type { StreamRecord, StreamState } from "./StreamRecord.ts"

/** Why a conversion FAILED. */
export interface ConversionFault {
  readonly code: TranscodeError["code"] | ContentDamaged["code"]
  /** May be shown to the file's owner. */
  readonly detail: string
}

export interface StoredConversion {
  readonly id: string
  readonly format: Format
  readonly mode: Mode
  readonly state: StreamState
  /** From 0 to 1. */
  readonly progress: number
  /** Null until a worker has probed the content. */
  readonly presentation: Presentation | null
  /** Null unless the conversion FAILED. */
  readonly fault: ConversionFault | null
  readonly startedAt: DateTime.Utc | null
  readonly finishedAt: DateTime.Utc | null
}

/** Returns the renditions: H.264, AV1, and the H.265 of the content last. */
const renditionsOf = (presentation: Presentation | null): ReadonlyArray<Rendition> => {
  if (presentation === null) return []
  const { av1 = [], hevc, renditions } = presentation
  return [...renditions, ...av1, ...(hevc === undefined ? [] : [hevc])]
}

/** Returns the record that callers see. */
export const toRecord = (stored: StoredConversion): StreamRecord => ({
  format: stored.format,
  state: stored.state,
  progress: stored.progress,
  renditions: renditionsOf(stored.presentation).map(({ bitrate, height, name, width }) => ({
    name,
    width,
    height,
    bitrate
  })),
  audio: (stored.presentation?.audio ?? []).map(({ channels, label, language }) => ({ label, language, channels })),
  captions: (stored.presentation?.captions ?? []).map(({ label, language }) => ({ label, language })),
  chapters: stored.presentation?.chapters ?? [],
  error: stored.fault === null ? null : stored.fault.detail,
  startedAt: stored.startedAt,
  finishedAt: stored.finishedAt
})
