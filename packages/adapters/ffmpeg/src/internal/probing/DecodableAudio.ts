/**
 * Finds the audio tracks of which nothing can be decoded, such as one of zeros.
 */
import type { Audio } from "@holdfast/core/transcoding/Media"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Input from "../arguments/Input.ts"
import * as Options from "../arguments/Options.ts"
import { type Engine, withMaxTime } from "../Engine.ts"
import * as Suspending from "../Suspending.ts"
import * as ExitError from "../process/ExitError.ts"
import * as WholeRun from "../WholeRun.ts"
import type { Job } from "./Demand.ts"

/** Of the search for the first sound of a track. A track in which it takes longer counts as one that can be decoded. */
const maxTime = Duration.minutes(1)

const soundName = "sound.pcm"

/** Whether a part of a track can be decoded. The program ends at the first one. */
const isDecodable = (engine: Engine, job: Job, { index }: Audio) =>
  Effect.gen(function* () {
    const { input, operation, suspended } = job
    const limits = withMaxTime(job.limits, maxTime)
    const scratch = yield* engine.scratchDirectory(operation, input)
    const exit = yield* WholeRun.exitOf(engine, {
      operation,
      limits,
      suspended,
      directory: scratch.directory,
      readable: [input, scratch.directory],
      arguments: [
        ...Options.make({ ...Input.general, ...Input.file(scratch.input, limits) }),
        ...Options.make({ map: `0:${index}`, "frames:a": 1, ac: 1, f: "s16le" }),
        soundName
      ]
    })
    const path = `${scratch.directory}/${soundName}`
    const files = yield* FileSystem.FileSystem
    if ((yield* files.exists(path)) && (yield* files.stat(path)).size > 0n) return true
    // A run that was killed, or that lacks the decoder, says nothing about the content.
    return exit.code !== 0 && ExitError.fromExit(operation, exit, "Failed", []).reason !== "Failed"
  }).pipe(
    Effect.scoped,
    Effect.raceFirst(Effect.as(Suspending.awaitActive(job.suspended, maxTime), true)),
    Effect.catchTag("PlatformError", (cause) =>
      Effect.fail(new TranscodeError.TranscodeError({ operation: job.operation, reason: "Internal", cause }))
    )
  )

/** Returns the media without the audio tracks of which nothing can be decoded; the same if there are none. */
export const only = Effect.fnUntraced(function* (engine: Engine, job: Job) {
  const { media } = job
  const tracks = media.audio === null ? [] : [media.audio, ...media.otherAudio]
  const decodable = yield* Effect.filter(tracks, (track) => isDecodable(engine, job, track))
  if (decodable.length === tracks.length) return media
  const [audio = null, ...otherAudio] = decodable
  return { ...media, audio, otherAudio }
})
