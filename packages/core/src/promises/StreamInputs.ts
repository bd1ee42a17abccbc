/**
 * What `holdfast.streams` is given and gives, and what of it is checked: a program without types may say anything.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../Errors.ts"
import type { FileRef } from "../files/FileRef.ts"
import type { StreamRecord as CoreRecord } from "../conversions/StreamRecord.ts"
import type { Mode } from "../transcoding/ConversionPlan.ts"
import type { Format } from "../transcoding/Presentation.ts"
import type * as Plain from "./Plain.ts"

export type StreamRecord = Plain.Plain<CoreRecord>

/** One format of a file; `file` is its id, or `@alias`. */
export interface StreamInput extends FileRef {
  readonly format: Format
}

interface Waits {
  /** Seconds to wait at most; not at all when absent. */
  readonly wait?: number | undefined
}

export interface RequestInput extends StreamInput, Waits {
  /** `auto` copies what players take as it is, `transcode` encodes everything anew. Default: `auto`. */
  readonly mode?: Mode | undefined
}

export interface OpenStreamInput extends StreamInput, Waits {
  /** Which file of the stream; the playlist or manifest that a player asks for first when absent. */
  readonly name?: string | undefined
}

/** Good for reading one stream by HTTP, as `?apiKey=`, in place of the actor's own key. */
export interface PlaybackKeyRecord {
  readonly key: string
  readonly expiresAt: Date
}

const formats: ReadonlyArray<unknown> = ["hls", "dash"] satisfies ReadonlyArray<Format>
const modes: ReadonlyArray<unknown> = [undefined, "auto", "transcode"] satisfies ReadonlyArray<Mode | undefined>

export const checkFormat = (format: unknown): Effect.Effect<void, InvalidRequest> =>
  formats.includes(format) ? Effect.void : Effect.fail(InvalidRequest.at("/format", 'must be "hls" or "dash"'))

export const checkMode = (mode: unknown): Effect.Effect<void, InvalidRequest> =>
  modes.includes(mode) ? Effect.void : Effect.fail(InvalidRequest.at("/mode", 'must be "auto" or "transcode"'))

export const waitOf = ({ wait }: Waits): Effect.Effect<Duration.Duration | undefined, InvalidRequest> => {
  if (wait === undefined) return Effect.succeed<Duration.Duration | undefined>(undefined)
  return typeof wait === "number" && wait >= 0
    ? Effect.succeed(Duration.seconds(wait))
    : Effect.fail(InvalidRequest.at("/wait", "must be a number of seconds"))
}
