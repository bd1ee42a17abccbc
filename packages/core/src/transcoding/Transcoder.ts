/**
 * The port that probes video and audio files and converts them for streaming.
 *
 * The caller guarantees that paths are absolute, that an input is a regular file (or a link to one) that does not change
 * during the run, and that an output directory exists, is empty and is used by this run alone. An adapter must fulfil the
 * contract of its methods for any input, which may come from an attacker. It opens no file but the input, makes no network
 * connection, keeps to the limits, and leaves no process behind, even if this process is killed.
 */
import type * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type * as SubscriptionRef from "effect/SubscriptionRef"
import type { ConversionEvent } from "./ConversionEvent.ts"
import type { Mode } from "./ConversionPlan.ts"
import type { Rung } from "./Ladder.ts"
import type { Limits } from "./Limits.ts"
import type { Media } from "./Media.ts"
import type { Format, Presentation } from "./Presentation.ts"
import type { Storyboard } from "./Storyboard.ts"
import { TranscodeError } from "./TranscodeError.ts"

interface Limited {
  /** Limits that differ from those of the adapter. */
  readonly limits?: Partial<Limits> | undefined
}

export interface ProbeJob extends Limited {
  /** Path of the file. */
  readonly input: string
}

interface Suspendable {
  /**
   * While true, the run makes no progress, uses no processor time, and its elapsed time does not count towards the limit. A system
   * on which a program cannot be stopped ignores this.
   */
  readonly suspended?: SubscriptionRef.SubscriptionRef<boolean> | undefined
}

export interface ConvertJob extends Limited, Suspendable {
  /** Path of the file. */
  readonly input: string
  /** The result of `probe` for this file. */
  readonly media: Media
  /** Path of the directory to write into. */
  readonly output: string
  readonly format: Format
  /** Default: `auto`. */
  readonly mode?: Mode | undefined
  /** Pixels of the shorter side of the best size, if the video is encoded. Default: 1080. */
  readonly lines?: number | undefined
  /**
   * Whether the result may be a shared presentation (`StreamFiles`), from which the other format needs no conversion. `Started` says whether
   * it is. Copied audio with gaps longer than a segment fails with `NotCopyable` and the mode `encodeAudio` then. Default: false.
   */
  readonly mayShare?: boolean | undefined
}

export interface RepackageJob extends Limited, Suspendable {
  /** Path of a directory with all segments of a finished conversion, or links to them, under their names. */
  readonly source: string
  /** The presentation of that conversion's `Finished` event. */
  readonly presentation: Presentation
  /** Path of the directory to write into. */
  readonly output: string
  readonly format: Format
}

export interface LadderJob extends Limited, Suspendable {
  /** Path of the file. */
  readonly input: string
  /** The result of `probe` for this file. */
  readonly media: Media
  /** Path of the directory to write into. */
  readonly output: string
  readonly format: Format
  /** The best first. */
  readonly rungs: Arr.NonEmptyReadonlyArray<Rung>
  /** Default: `h264`. `av1` needs the format `dash`, and has no copy. */
  readonly codec?: "av1" | "h264" | undefined
  /** Seconds: how long the segments of the copy last. */
  readonly durations: ReadonlyArray<number>
  /** Seconds of the presentation at which the first of them begins. Default: 0. */
  readonly begin?: number | undefined
  /**
   * Seconds: the time in segments of MPEG-TS, and in those of AV1, at which the presentation begins. Default: that of `convert`; 0 for
   * AV1.
   */
  readonly firstTime?: number | undefined
}

export interface PosterJob extends Limited {
  /** Path of the file. */
  readonly input: string
  /** The result of `probe` for this file. */
  readonly media: Media
  /** Path of the JPEG file to write. */
  readonly output: string
  /** Seconds: when the frame is shown. A time after the end means the first frame. */
  readonly at: number
}

export interface StoryboardJob extends Limited, Suspendable {
  /** Path of the file. */
  readonly input: string
  /** The result of `probe` for this file. */
  readonly media: Media
  /** Path of the directory to write into. */
  readonly output: string
  readonly storyboard: Storyboard
}

export class Transcoder extends Context.Service<
  Transcoder,
  {
    /** Returns the properties of a file, from its content alone. Fails with `NotMedia` or `Unsupported` because of the file. */
    readonly probe: (job: ProbeJob) => Effect.Effect<Media, TranscodeError>

    /**
     * Converts a file to segments and playlists in the output directory, as `ConversionPlan` decides. `StreamFiles` defines
     * their names.
     *
     * - A file gets its name when it is complete; an event reports it.
     * - An HLS presentation plays from its first segment on: its playlists have the type EVENT and exact durations.
     * - A result that is much shorter than the declared duration is `Failed`: the input was cut off.
     * - The run does not wait for the consumer of the stream. A slow consumer misses only outdated playlists and progress.
     * - Before `Finished`, the first and the last segment of each rendition are checked: a player can begin with each of them. If
     *   copied tracks fail the check, or the segments of a copy are too long, the run fails with `NotCopyable`.
     * - Interrupting the stream stops the run at once. After that, or after a failure, the files in the directory are
     *   incomplete.
     */
    readonly convert: (job: ConvertJob) => Stream.Stream<ConversionEvent, TranscodeError>

    /**
     * Converts a finished presentation to another format, with the same renditions and without encoding. Otherwise like
     * `convert`.
     */
    readonly repackage: (job: RepackageJob) => Stream.Stream<ConversionEvent, TranscodeError>

    /**
     * Encodes lower renditions of a video that was copied, with a segment for each of those of the copy, which begins and ends with it.
     * There are no playlists (`LadderPlaylists`). Otherwise like `convert`. Fails with `Failed` if the segments do not fit.
     *
     * Rungs of AV1 are encoded one after the other, since each takes much memory; their names are those of `Av1Files`. One that the limits
     * or the encoder do not permit is left out. The run fails if that leaves none.
     */
    readonly ladder: (job: LadderJob) => Stream.Stream<ConversionEvent, TranscodeError>

    /**
     * Writes one frame of the video as a JPEG of at most 720 lines on its shorter side. The file gets its name when it is
     * complete. `Unsupported` for a file without video.
     */
    readonly poster: (job: PosterJob) => Effect.Effect<void, TranscodeError>

    /**
     * Writes the sheets of a storyboard, JPEGs with the names `Storyboard.sheetNames`. Of a long video, keyframes alone are decoded.
     * `Unsupported` for a file without video.
     */
    readonly storyboard: (job: StoryboardJob) => Effect.Effect<void, TranscodeError>

    /** Succeeds if the transcoder is ready. `Unavailable` if it lacks a program. */
    readonly check: Effect.Effect<void, TranscodeError>

    readonly capabilities: {
      /** The adapter's name, for logs and health reports. */
      readonly name: string
    }
  }
>()("@holdfast/core/transcoding/Transcoder") {}

const unavailable = (operation: string) => new TranscodeError({ operation, reason: "Unavailable" })

const stub = (name: string, check: Effect.Effect<void, TranscodeError>) =>
  Layer.succeed(
    Transcoder,
    Transcoder.of({
      probe: () => Effect.fail(unavailable("probe")),
      convert: () => Stream.fail(unavailable("convert")),
      repackage: () => Stream.fail(unavailable("repackage")),
      ladder: () => Stream.fail(unavailable("ladder")),
      poster: () => Effect.fail(unavailable("poster")),
      storyboard: () => Effect.fail(unavailable("storyboard")),
      check,
      capabilities: { name }
    })
  )

/** For a deployment without a transcoder. Requests for conversions fail with `TranscoderUnavailable`. */
export const layerNone: Layer.Layer<Transcoder> = stub("none", Effect.fail(unavailable("check")))

/** For a process without a worker in a deployment whose other processes have workers, which run what is requested here. */
export const layerElsewhere: Layer.Layer<Transcoder> = stub("elsewhere", Effect.void)
