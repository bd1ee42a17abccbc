/**
 * Events of a running conversion, from which the worker publishes its output.
 */
import * as Data from "effect/Data"
import type { Presentation } from "./Presentation.ts"

/**
 * - `Started`: once, as the first event. Bitrates and duration are estimates.
 * - `SegmentFinished`: the file of this name (`StreamFiles`) in the output directory is complete and never changes again.
 *   Once for each segment, in playing order within its rendition.
 * - `PlaylistUpdated`: the playlist or manifest of this name has this text, which replaces an earlier one. All files that it
 *   lists have been reported before. HLS playlists grow from the first segment on; a DASH manifest comes once, near the end.
 * - `Progressed`: the fraction that is done, from 0 to 1; it never decreases. Not sent if the duration is unknown.
 * - `Finished`: once, as the last event. All files are in the output directory, including playlists.
 */
export type ConversionEvent = Data.TaggedEnum<{
  Started: { readonly presentation: Presentation }
  SegmentFinished: { readonly name: string }
  PlaylistUpdated: { readonly name: string; readonly text: string }
  Progressed: { readonly fraction: number }
  Finished: { readonly presentation: Presentation }
}>

export const { Finished, PlaylistUpdated, Progressed, SegmentFinished, Started } = Data.taggedEnum<ConversionEvent>()
