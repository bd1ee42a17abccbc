/**
 * What a conversion tells while it runs, so that its result can be published piece by piece.
 */
import * as Data from "effect/Data"
import type { Presentation } from "./Presentation.ts"

/**
 * - `Started`: once, first. Bitrates and duration are what is expected.
 * - `SegmentFinished`: the file of this name (`StreamFiles`) stands in the output directory, whole, and never changes
 *   again. Each segment is told once, in the order of playing within its rendition.
 * - `PlaylistUpdated`: the playlist or manifest of this name now has this text, in place of an earlier one. Every file that it
 *   names was told before. HLS playlists grow, from the first segment on; a DASH manifest comes once, near the end.
 * - `Progressed`: how much is done, from 0 to 1; it never falls. Not told while the duration is unknown.
 * - `Finished`: once, last. All files stand in the output directory, playlists too.
 */
export type ConversionEvent = Data.TaggedEnum<{
  Started: { readonly presentation: Presentation }
  SegmentFinished: { readonly name: string }
  PlaylistUpdated: { readonly name: string; readonly text: string }
  Progressed: { readonly fraction: number }
  Finished: { readonly presentation: Presentation }
}>

export const { Finished, PlaylistUpdated, Progressed, SegmentFinished, Started } = Data.taggedEnum<ConversionEvent>()
