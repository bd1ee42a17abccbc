/**
 * Adds the storyboard to a READY conversion, so that playback never waits for it. Like the poster, it is removed with
 * the segments. A worker that is interrupted meanwhile leaves the conversion without one.
 */
import * as Effect from "effect/Effect"
import type { Media } from "../../../transcoding/Media.ts"
import type { Presentation } from "../../../transcoding/Presentation.ts"
import * as Storyboard from "../../../transcoding/Storyboard.ts"
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"
import { type StoryboardJob, Transcoder } from "../../../transcoding/Transcoder.ts"
import { LimitsOf, within } from "../../../usage/UsageLimits.ts"
import { ConversionNotifier } from "../../ConversionNotifier.ts"
import { type AddedTo, ConversionRepository } from "../../ConversionRepository.ts"
import type { ConversionWorkerOptions } from "../ConversionWorkerOptions.ts"
import type { Workspace } from "../ConversionWorkspace.ts"
import { uploadSegments } from "./UploadSegments.ts"

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

/** Makes the files and adds them. A failure is logged: the video plays without them. */
export const add = <E extends { readonly _tag: string; readonly message: string }, R>(
  conversion: AddedTo,
  workspace: Workspace,
  files: Effect.Effect<Files | undefined, E, R>,
  options: ConversionWorkerOptions
) =>
  Effect.gen(function* () {
    const found = yield* files
    if (found === undefined) return
    const conversions = yield* ConversionRepository
    const limitsOf = yield* LimitsOf
    const segments = yield* uploadSegments(conversion, workspace, found.sheets, options)
    const playlists = [{ name: StreamFiles.storyboard, text: found.text }]
    yield* within(yield* limitsOf(conversion))(conversions.append(conversion, { segments, playlists }))
    yield* (yield* ConversionNotifier).notifyProgress
  }).pipe(
    Effect.catch(({ _tag, message: detail }) =>
      // The conversion was removed or replaced.
      _tag === "LeaseLost"
        ? Effect.void
        : Effect.annotateLogs(Effect.logWarning("storyboard not created"), { reason: _tag, detail })
    )
  )
