/**
 * Checks of the inputs of `holdfast.streams`, for programs without types.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../../../Errors.ts"
import type { RequestedMode } from "../../../transcoding/ConversionPlan.ts"
import type { Format } from "../../../transcoding/Presentation.ts"

const formats: ReadonlyArray<unknown> = ["hls", "dash"] satisfies ReadonlyArray<Format>
const modes: ReadonlyArray<unknown> = [undefined, "auto", "transcode"] satisfies ReadonlyArray<
  RequestedMode | undefined
>

/** Fails at `/format` for an unknown format. */
export const checkFormat = (format: unknown): Effect.Effect<void, InvalidRequest> =>
  formats.includes(format) ? Effect.void : Effect.fail(InvalidRequest.at("/format", 'must be "hls" or "dash"'))

/** Fails at `/mode` for an unknown mode. */
export const checkMode = (mode: unknown): Effect.Effect<void, InvalidRequest> =>
  modes.includes(mode) ? Effect.void : Effect.fail(InvalidRequest.at("/mode", 'must be "auto" or "transcode"'))

/** Returns the time that a call waits; undefined when it does not wait. Fails at `/wait` for a negative number or none. */
export const decodeWait = ({
  wait
}: {
  readonly wait?: number | undefined
}): Effect.Effect<Duration.Duration | undefined, InvalidRequest> => {
  if (wait === undefined) return Effect.undefined
  return typeof wait === "number" && wait >= 0
    ? Effect.succeed(Duration.seconds(wait))
    : Effect.fail(InvalidRequest.at("/wait", "must be a number of seconds"))
}
