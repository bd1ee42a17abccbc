/**
 * The captions of a presentation, in WebVTT (W3C). ffmpeg writes drafts; this module writes the files that players read.
 */
import type { CaptionRendition } from "@holdfast/core/transcoding/CaptionRendition"
import * as CaptionText from "@holdfast/core/transcoding/CaptionText"
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import * as Events from "@holdfast/core/transcoding/ConversionEvent"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import type { OutputDirectory } from "./OutputDirectory.ts"

/** The name of a file that is not finished. */
export const draftName = ({ name }: Pick<CaptionRendition, "name">): string => `${name}.draft`

/** Returns the cues of a text, without its header; undefined if there are none. */
const cuesOf = (text: string | undefined): string | undefined => {
  const normal = text?.replaceAll(/\r\n?/g, "\n") ?? ""
  const end = normal.indexOf("\n\n")
  const cues = end < 0 ? "" : normal.slice(end).trim()
  return cues.includes("-->") ? cues : undefined
}

type Files = Pick<OutputDirectory, "read" | "remove" | "write">

export interface Finished {
  readonly events: ReadonlyArray<ConversionEvent>
  readonly presentation: Presentation
}

/** Finishes the captions of an output that lasts `duration` seconds. */
export type Finish = (duration: number) => Effect.Effect<Finished, PlatformError>

/**
 * Finishes the captions of a presentation that lasts `duration` seconds. Returns their events and the presentation with those that
 * have text.
 */
export const finish = Effect.fnUntraced(function* (
  directory: Files,
  presentation: Presentation,
  duration: number
): Effect.fn.Return<Finished, PlatformError> {
  const events: Array<ConversionEvent> = []
  const kept: Array<CaptionRendition> = []
  for (const { playlist: name, rendition, text: file } of StreamFiles.captionFiles(presentation)) {
    const cues = cuesOf(yield* directory.read(draftName(rendition)))
    yield* directory.remove(draftName(rendition))
    if (cues === undefined) continue
    kept.push(rendition)
    yield* directory.write(file, CaptionText.toWebVtt(cues))
    events.push(Events.SegmentFinished({ name: file }))
    if (presentation.format === "dash") continue
    const text = CaptionText.playlist(file, duration)
    yield* directory.write(name, text)
    events.push(Events.PlaylistUpdated({ name, text }))
  }
  const finished: Presentation =
    presentation.captions === undefined ? presentation : { ...presentation, captions: kept }
  return { events, presentation: finished }
})
