/**
 * Collects what a running conversion has produced and the worker has not published yet.
 */
import type { ConversionEvent } from "../../../transcoding/ConversionEvent.ts"
import type { Presentation } from "../../../transcoding/Presentation.ts"

export interface PendingOutput {
  segments: Array<string>
  /** Texts by name. */
  playlists: Map<string, string>
  progress: number
  /** Undefined before the first event. */
  presentation: Presentation | undefined
  isFinished: boolean
  /** Whether an event came since the last `drain`. */
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

/** Adds an event. A playlist replaces an earlier one of its name. */
export const add = (pending: PendingOutput, event: ConversionEvent): void => {
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

/** Removes and returns the pending segments and playlists, with the progress at this time. */
export const drain = (
  pending: PendingOutput
): Pick<PendingOutput, "segments" | "playlists" | "progress" | "isFinished"> => {
  const { isFinished, playlists, progress, segments } = pending
  pending.segments = []
  pending.playlists = new Map()
  pending.isChanged = false
  return { isFinished, playlists, progress, segments }
}
