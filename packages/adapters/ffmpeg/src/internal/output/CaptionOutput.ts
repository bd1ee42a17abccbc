/**
 * The captions of a presentation, in WebVTT (W3C). ffmpeg writes drafts; this module writes the files that players read.
 */
import type { CaptionRendition } from "@holdfast/core/transcoding/CaptionRendition"
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import * as Events from "@holdfast/core/transcoding/ConversionEvent"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Effect from "effect/Effect"
import type { OutputDirectory } from "./OutputDirectory.ts"

/** The name of a file that is not finished. */
export const draftName = ({ name }: Pick<CaptionRendition, "name">): string => `${name}.draft`

/** Time 0 of the text is time 0 of the MPEG-TS segments (RFC 8216, section 3.5). */
const header = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000"

/** Returns the cues of a text, without its header; undefined if there are none. */
const cuesOf = (text: string | undefined): string | undefined => {
  const normal = text?.replaceAll(/\r\n?/g, "\n") ?? ""
  const end = normal.indexOf("\n\n")
  const cues = end < 0 ? "" : normal.slice(end).trim()
  return cues.includes("-->") ? cues : undefined
}

/** A media playlist with the whole text as its only segment. */
const playlist = (text: string, duration: number): string =>
  [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    `#EXT-X-TARGETDURATION:${Math.max(1, Math.ceil(duration))}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    "#EXT-X-PLAYLIST-TYPE:VOD",
    `#EXTINF:${duration.toFixed(6)},`,
    text,
    "#EXT-X-ENDLIST",
    ""
  ].join("\n")

/**
 * Finishes the captions of a presentation that lasts `duration` seconds. Returns their events and the presentation with those that
 * have text.
 */
export const finish = (directory: OutputDirectory, presentation: Presentation, duration: number) =>
  Effect.gen(function* () {
    const events: Array<ConversionEvent> = []
    const kept: Array<CaptionRendition> = []
    for (const { playlist: name, rendition, text: file } of StreamFiles.captionFiles(presentation)) {
      const cues = cuesOf(yield* directory.read(draftName(rendition)))
      yield* directory.remove(draftName(rendition))
      if (cues === undefined) continue
      kept.push(rendition)
      yield* directory.write(file, `${header}\n\n${cues}\n`)
      events.push(Events.SegmentFinished({ name: file }))
      if (presentation.format === "dash") continue
      const text = playlist(file, duration)
      yield* directory.write(name, text)
      events.push(Events.PlaylistUpdated({ name, text }))
    }
    const finished: Presentation =
      presentation.captions === undefined ? presentation : { ...presentation, captions: kept }
    return { events, presentation: finished }
  })
