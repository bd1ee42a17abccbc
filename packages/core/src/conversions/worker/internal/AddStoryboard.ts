/**
 * Adds the storyboard to a READY conversion, so that playback never waits for it. Like the poster, it is removed with
 * the segments. If the worker dies meanwhile, another one makes it (`PosterTasks`).
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Media } from "../../../transcoding/Media.ts"
import type { Presentation } from "../../../transcoding/Presentation.ts"
import * as Storyboard from "../../../transcoding/Storyboard.ts"
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"
import { type StoryboardJob, Transcoder } from "../../../transcoding/Transcoder.ts"
import { LimitsOf, within } from "../../../usage/UsageLimits.ts"
import { ConversionNotifier } from "../../ConversionNotifier.ts"
import type { ConversionClaim } from "../../ConversionClaim.ts"
import { ConversionRepository, type PosterTask } from "../../ConversionRepository.ts"
import type { ConversionWorkerOptions } from "../ConversionWorkerOptions.ts"
import type { Workspace } from "../ConversionWorkspace.ts"
import { uploadSegments } from "./UploadSegments.ts"

/** The storyboard of a long video takes some minutes. After that time, another worker makes what is missing. */
export const lease = Duration.minutes(30)

/** The files of a storyboard: sheets in the output directory, and the text that lists them. */
export interface Files {
  readonly sheets: ReadonlyArray<string>
  readonly text: string
}

/** Writes the sheets for a finished presentation. None for audio. */
export const make = Effect.fnUntraced(function* (
  { input, output }: Pick<Workspace, "input" | "output">,
  media: Media,
  presentation: Presentation,
  options: Pick<StoryboardJob, "limits" | "suspended">
) {
  const storyboard = media.video === null ? undefined : Storyboard.fromPresentation(presentation)
  if (storyboard === undefined) return undefined
  const transcoder = yield* Transcoder
  yield* transcoder.storyboard({ input, media, output, storyboard, ...options })
  const files: Files = { sheets: Storyboard.sheetNames(storyboard), text: Storyboard.toWebVtt(storyboard) }
  return files
})

/** Makes the files, adds them, and ends the claim of the pictures. A failure is logged: the video plays without them. */
export const add = <E extends { readonly _tag: string; readonly message: string }, R>(
  conversion: ConversionClaim | PosterTask,
  workspace: Workspace,
  files: Effect.Effect<Files | undefined, E, R>,
  options: ConversionWorkerOptions
) =>
  Effect.gen(function* () {
    const conversions = yield* ConversionRepository
    const limitsOf = yield* LimitsOf
    const append = Effect.gen(function* () {
      const found = yield* files
      if (found === undefined) return
      const segments = yield* uploadSegments(conversion, workspace, found.sheets, options)
      const playlists = [{ name: StreamFiles.storyboard, text: found.text }]
      yield* within(yield* limitsOf(conversion))(conversions.append(conversion, { segments, playlists }))
      yield* (yield* ConversionNotifier).notifyProgress
    })
    yield* Effect.catch(append, ({ _tag, message: detail }) =>
      _tag === "LeaseLost"
        ? Effect.void
        : Effect.annotateLogs(Effect.logWarning("storyboard not created"), { reason: _tag, detail })
    )
    yield* conversions.completePictures(conversion)
  }).pipe(
    // The conversion was removed or replaced.
    Effect.catchTag("LeaseLost", () => Effect.void)
  )
