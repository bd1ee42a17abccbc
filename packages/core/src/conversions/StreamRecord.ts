/**
 * A conversion of a file's content into a format for streaming, as callers see it.
 */
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import type { Mode } from "../transcoding/ConversionPlan.ts"
import { Format, type Presentation } from "../transcoding/Presentation.ts"
import type { TranscodeError } from "../transcoding/TranscodeError.ts"

/** QUEUED until a worker takes it, RUNNING while one has it; READY and FAILED are final until it is asked for anew. */
export const StreamState = Schema.Literals(["QUEUED", "RUNNING", "READY", "FAILED"])
export type StreamState = typeof StreamState.Type

export const StreamRendition = Schema.Struct({
  name: Schema.String.annotate({ description: "The shorter side in lines, as in `720p`, or `audio`." }),
  width: Schema.NullOr(Schema.Int).annotate({ description: "Pixels; null where there is no picture." }),
  height: Schema.NullOr(Schema.Int),
  bitrate: Schema.Int.annotate({ description: "Bits a second; what is expected until the conversion is READY." })
}).annotate({ identifier: "StreamRendition" })

export const StreamRecord = Schema.Struct({
  format: Format,
  state: StreamState,
  progress: Schema.Finite.annotate({ description: "From 0 to 1." }),
  renditions: Schema.Array(StreamRendition).annotate({ description: "The best first; empty until it runs." }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why it FAILED." }),
  startedAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  finishedAt: Schema.NullOr(Schema.DateTimeUtcFromString)
}).annotate({ identifier: "Stream" })
export type StreamRecord = typeof StreamRecord.Type

/** Why a conversion FAILED. */
export interface ConversionFault {
  readonly code: TranscodeError["code"]
  /** Fit for the file's owner. */
  readonly detail: string
}

/** A conversion as the repository keeps it. */
export interface StoredConversion {
  readonly id: string
  readonly format: Format
  readonly mode: Mode
  readonly state: StreamState
  /** From 0 to 1. */
  readonly progress: number
  /** Null until a worker has looked into the content. */
  readonly presentation: Presentation | null
  /** Null unless it FAILED. */
  readonly fault: ConversionFault | null
  readonly startedAt: DateTime.Utc | null
  readonly finishedAt: DateTime.Utc | null
}

/** The record that callers see. */
export const fromStored = (stored: StoredConversion): StreamRecord => ({
  format: stored.format,
  state: stored.state,
  progress: stored.progress,
  renditions: (stored.presentation?.renditions ?? []).map(({ bitrate, height, name, width }) => ({
    name,
    width,
    height,
    bitrate
  })),
  error: stored.fault === null ? null : stored.fault.detail,
  startedAt: stored.startedAt,
  finishedAt: stored.finishedAt
})
