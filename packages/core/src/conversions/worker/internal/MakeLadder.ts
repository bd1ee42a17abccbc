/**
 * Makes the ladder of a copy: lower renditions, which join it when all of them are complete.
 */
import * as Arr from "effect/Array"
import * as Stream from "effect/Stream"
import type { ConversionEvent } from "../../../transcoding/ConversionEvent.ts"
import * as Events from "../../../transcoding/ConversionEvent.ts"
import * as LadderPlaylists from "../../../transcoding/LadderPlaylists.ts"
import type { Presentation, Rendition } from "../../../transcoding/Presentation.ts"

/** Returns a presentation without its ladder. */
export const withoutLadder = (presentation: Presentation): Presentation => {
  const { hasLadder, renditions, ...rest } = presentation
  return { ...rest, renditions: hasLadder === true ? [Arr.headNonEmpty(renditions)] : renditions }
}

/** Whether a segment belongs to a ladder. */
export const isOfLadder = ({ hasLadder }: Presentation, name: string): boolean =>
  hasLadder === true && /^\d+p\//.test(name)

/** Returns the events of a ladder as those of the copy: with its presentation and, at the end, with all playlists. */
export const join = <E, R>(
  events: Stream.Stream<ConversionEvent, E, R>,
  copy: LadderPlaylists.Copy
): Stream.Stream<ConversionEvent, E, R> => {
  const finish = (lower: ReadonlyArray<Rendition>): ReadonlyArray<ConversionEvent> => {
    const { presentation } = copy
    const playlists = LadderPlaylists.join(copy, lower)
    return [
      ...Array.from(playlists, ([name, text]) => Events.PlaylistUpdated({ name, text })),
      Events.Finished({
        presentation: { ...presentation, hasLadder: true, renditions: Arr.appendAll(presentation.renditions, lower) }
      })
    ]
  }
  return Stream.flatMap(events, (event) => {
    if (event._tag === "Started") return Stream.succeed(Events.Started({ presentation: copy.presentation }))
    return event._tag === "Finished"
      ? Stream.fromIterable(finish(event.presentation.renditions))
      : Stream.succeed(event)
  })
}
