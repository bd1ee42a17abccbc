/**
 * The port that looks into video and audio files and converts them for streaming.
 *
 * The caller guarantees that paths are absolute, that an input is a regular file (or a link to one) which does not change
 * meanwhile, and that an output directory exists, is empty and its own. An adapter guarantees what the methods say for any
 * input whatever: it may come from an attacker. It opens no file but the input, asks no network, keeps to the limits,
 * and leaves no process behind, also when this process is killed.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { ConversionEvent } from "./ConversionEvent.ts"
import type { Mode } from "./ConversionPlan.ts"
import type { Limits } from "./Limits.ts"
import type { Media } from "./Media.ts"
import type { Format, Presentation } from "./Presentation.ts"
import { TranscodeError } from "./TranscodeError.ts"

/** Limits that differ from those of the adapter. */
interface Limited {
  readonly limits?: Partial<Limits> | undefined
}

export interface ProbeJob extends Limited {
  /** Path of the file. */
  readonly input: string
}

export interface ConvertJob extends Limited {
  /** Path of the file. */
  readonly input: string
  /** What `probe` told of it. */
  readonly media: Media
  /** Path of the directory to write into. */
  readonly output: string
  readonly format: Format
  /** Default: `auto`. */
  readonly mode?: Mode | undefined
}

export interface RepackageJob extends Limited {
  /** Path of a directory with all segments of a finished conversion, under their names; links to them will do. */
  readonly source: string
  /** What that conversion told when it had finished. */
  readonly presentation: Presentation
  /** Path of the directory to write into. */
  readonly output: string
  readonly format: Format
}

export interface PosterJob extends Limited {
  /** Path of the file. */
  readonly input: string
  /** What `probe` told of it. */
  readonly media: Media
  /** Path of the JPEG file to write. */
  readonly output: string
  /** Which moment to show, in seconds; one past the end counts as the beginning. */
  readonly at: number
}

export class Transcoder extends Context.Service<
  Transcoder,
  {
    /** What a file holds. Decides by its content; `NotMedia` and `Unsupported` are verdicts on the file. */
    readonly probe: (job: ProbeJob) => Effect.Effect<Media, TranscodeError>

    /**
     * Converts a file into segments and playlists in the output directory, named as `StreamFiles` says, by the plan of
     * `ConversionPlan`.
     *
     * - A file appears under its name when it is whole, and the events tell when.
     * - An HLS presentation plays from its first segment on: its playlists are of type EVENT, with true durations.
     * - A result that is much shorter than what the input declares is `Failed`: the input was cut off.
     * - The work goes on at its own pace, whether or not the stream is pulled; a slow consumer misses nothing but outdated
     *   playlists and progress.
     * - Interrupting the stream ends the work at once. After that, or after a failure, what is in the directory is of no
     *   use.
     */
    readonly convert: (job: ConvertJob) => Stream.Stream<ConversionEvent, TranscodeError>

    /**
     * Makes the presentation in another format, with the same renditions and without encoding anything anew. Otherwise as
     * `convert`.
     */
    readonly repackage: (job: RepackageJob) => Stream.Stream<ConversionEvent, TranscodeError>

    /**
     * Writes a still of the video as a JPEG of at most 720 lines on its shorter side; it appears when it is whole.
     * `Unsupported` for a file without video.
     */
    readonly poster: (job: PosterJob) => Effect.Effect<void, TranscodeError>

    /** Succeeds when the transcoder can work; `Unavailable` when it lacks a program. */
    readonly check: Effect.Effect<void, TranscodeError>

    readonly capabilities: {
      /** The adapter's name, for logs and health reports. */
      readonly name: string
    }
  }
>()("@holdfast/core/transcoding/Transcoder") {}

const absent = (operation: string) => new TranscodeError({ operation, reason: "Unavailable" })

const without = (name: string, check: Effect.Effect<void, TranscodeError>) =>
  Layer.succeed(
    Transcoder,
    Transcoder.of({
      probe: () => Effect.fail(absent("probe")),
      convert: () => Stream.fail(absent("convert")),
      repackage: () => Stream.fail(absent("repackage")),
      poster: () => Effect.fail(absent("poster")),
      check,
      capabilities: { name }
    })
  )

/** For a deployment that converts nothing: whoever asks for a conversion is told so. */
export const layerNone: Layer.Layer<Transcoder> = without("none", Effect.fail(absent("check")))

/** For a process without workers, in a deployment where others have them: what is asked for here is done there. */
export const layerElsewhere: Layer.Layer<Transcoder> = without("elsewhere", Effect.void)
