/**
 * Encodes the rungs of a ladder as AV1, one after the other.
 */
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import * as Events from "@holdfast/core/transcoding/ConversionEvent"
import * as ConversionPlan from "@holdfast/core/transcoding/ConversionPlan"
import type { Rung } from "@holdfast/core/transcoding/Ladder"
import type { Presentation, Rendition } from "@holdfast/core/transcoding/Presentation"
import { TranscodeError } from "@holdfast/core/transcoding/TranscodeError"
import type { LadderJob } from "@holdfast/core/transcoding/Transcoder"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import type { Engine, Platform } from "./Engine.ts"

const operation = "ladder"

type RungEvents = Stream.Stream<ConversionEvent, TranscodeError, Platform>

/** Pixels of a side. The encoder takes no smaller pictures. */
const smallestSide = 64

/**
 * Bytes of address space that the encoder takes with its threads, and for each pixel. SVT-AV1 1.4 took 2.7 GiB for 1080p and 4.2 GiB for 4K
 * of the same source.
 */
const memory = { least: 2.2 * 1024 ** 3, perPixel: 300 }

/** Returns why a rung cannot be encoded; undefined if it can. */
const obstacle = ({ height, width }: Rung, memoryBytes: number): string | undefined => {
  if (Math.min(width, height) < smallestSide) return "It is smaller than the encoder permits."
  return memory.least + width * height * memory.perPixel > memoryBytes ? "It needs more memory." : undefined
}

/** Failures that others of the rungs may not have. */
const isOfRung = ({ reason }: TranscodeError): boolean => reason === "Failed" || reason === "LimitExceeded"

const none = () => new TranscodeError({ operation, reason: "LimitExceeded", detail: "No size can be encoded as AV1." })

const logLeftOut = ({ height, width }: Rung, detail: string) =>
  Effect.annotateLogs(Effect.logWarning("rendition of AV1 left out"), { width, height, detail })

const remove = ({ output }: LadderJob, { name }: Rendition) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* files.remove(`${output}/${name}`, { recursive: true, force: true })
    yield* files.remove(`${output}/${name}.m3u8`, { force: true })
  }).pipe(Effect.mapError((cause) => new TranscodeError({ operation, reason: "Internal", cause })))

/** What is known of the rungs before the one that runs. */
interface State {
  readonly made: Array<Rendition>
  /** Bytes of their files. */
  bytes: number
  presentation: Presentation | undefined
}

/** Returns the bytes of a rendition, by its rate. */
const bytesOf = ({ duration, renditions: [{ bitrate }] }: Presentation): number =>
  Math.ceil(((duration ?? 0) * bitrate) / 8)

/**
 * Returns the events of the rungs that can be encoded, as those of one run. The segments of a rung are reported when all of them are complete:
 * those of one that is left out would be stored for no player.
 */
export const make = (
  engine: Engine,
  job: LadderJob,
  encode: (job: LadderJob) => RungEvents
): Stream.Stream<ConversionEvent, TranscodeError, Platform> =>
  Stream.suspend(() => {
    const { format, media, rungs } = job
    const { memoryBytes, outputBytes } = engine.limits(job.limits)
    const possible = rungs.filter((rung) => obstacle(rung, memoryBytes) === undefined)
    const logOthers = Effect.forEach(
      rungs,
      (rung) => {
        const detail = obstacle(rung, memoryBytes)
        return detail === undefined ? Effect.void : logLeftOut(rung, detail)
      },
      { discard: true }
    )
    const pixels = possible.reduce((sum, { height, width }) => sum + height * width, 0)
    const state: State = { made: [], bytes: 0, presentation: undefined }
    let before = 0

    const encodeRung = (rung: Rung): RungEvents => {
      const from = before / pixels
      const part = (rung.width * rung.height) / pixels
      before += rung.width * rung.height
      const segments: Array<ConversionEvent> = []
      let expected: Rendition | undefined
      const single: LadderJob = {
        ...job,
        rungs: [rung],
        limits: { ...job.limits, outputBytes: outputBytes - state.bytes }
      }
      const toEvents = (event: ConversionEvent): ReadonlyArray<ConversionEvent> => {
        switch (event._tag) {
          case "Started":
            expected = event.presentation.renditions[0]
            return []
          case "Progressed":
            return [Events.Progressed({ fraction: from + part * event.fraction })]
          case "Finished":
            state.made.push(event.presentation.renditions[0])
            state.bytes += bytesOf(event.presentation)
            state.presentation = event.presentation
            return segments
          default:
            segments.push(event)
            return []
        }
      }
      return Stream.flatMap(encode(single), (event) => Stream.fromIterable(toEvents(event))).pipe(
        Stream.catchIf(isOfRung, (error) =>
          Stream.fromEffectDrain(
            Effect.andThen(
              logLeftOut(rung, error.message),
              expected === undefined ? Effect.void : remove(job, expected)
            )
          )
        )
      )
    }

    const finish = Effect.suspend(() =>
      state.presentation !== undefined && Arr.isArrayNonEmpty(state.made)
        ? Effect.succeed(Events.Finished({ presentation: { ...state.presentation, renditions: state.made } }))
        : Effect.fail(none())
    )
    const expected = ConversionPlan.toPresentation(
      ConversionPlan.ladder(media, rungs, format),
      { ...media, chapters: [] },
      format
    )
    return Stream.fromEffectDrain(logOthers).pipe(
      Stream.concat(Stream.make(Events.Started({ presentation: expected }))),
      Stream.concat(Stream.flatMap(Stream.fromIterable(possible), encodeRung)),
      Stream.concat(Stream.fromEffect(finish))
    )
  })
