/**
 * What a conversion has told and is not public yet.
 */
import type { ConversionEvent } from "../transcoding/ConversionEvent.ts"
import type { Presentation } from "../transcoding/Presentation.ts"

export interface PendingOutput {
  segments: Array<string>
  playlists: Map<string, string>
  progress: number
  presentation: Presentation | undefined
  isFinished: boolean
  isChanged: boolean
}

export const make = (): PendingOutput => ({
  segments: [],
  playlists: new Map(),
  progress: 0,
  presentation: undefined,
  isFinished: false,
  isChanged: false
})

/** Takes an event in; a playlist takes the place of an earlier one of its name. */
export const note = (pending: PendingOutput, event: ConversionEvent): void => {
  pending.isChanged = true
  switch (event._tag) {
    case "Started":
      pending.presentation = event.presentation
      return
    case "SegmentFinished":
      pending.segments.push(event.name)
      return
    case "PlaylistUpdated":
      pending.playlists.set(event.name, event.text)
      return
    case "Progressed":
      pending.progress = event.fraction
      return
    case "Finished":
      pending.presentation = event.presentation
      pending.isFinished = true
  }
}

/** Takes everything out. */
export const take = (
  pending: PendingOutput
): Pick<PendingOutput, "segments" | "playlists" | "progress" | "isFinished"> => {
  const { isFinished, playlists, progress, segments } = pending
  pending.segments = []
  pending.playlists = new Map()
  pending.isChanged = false
  return { isFinished, playlists, progress, segments }
}
