/**
 * Adds the H.265 of a content to the shared presentation that is encoded from it. Both are published in one step.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as HevcPlaylists from "../../../packaging/HevcPlaylists.ts"
import * as HevcVariant from "../../../packaging/HevcVariant.ts"
import * as JoinedSource from "../../../packaging/JoinedSource.ts"
import * as SharedTracks from "../../../packaging/SharedTracks.ts"
import * as StoredAudio from "../../../packaging/StoredAudio.ts"
import { concat } from "../../../storage/ByteChunks.ts"
import * as ConversionEvent from "../../../transcoding/ConversionEvent.ts"
import * as HevcFiles from "../../../transcoding/hevc/HevcFiles.ts"
import * as AdaptationSets from "../../../transcoding/manifest/AdaptationSets.ts"
import type { Presentation } from "../../../transcoding/Presentation.ts"
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"
import type { PackageableContent } from "../../internal/PackageContent.ts"
import * as PackageHevc from "../../internal/PackageHevc.ts"
import type { Workspace } from "../ConversionWorkspace.ts"

type Event = ConversionEvent.ConversionEvent

const readAll = (workspace: Workspace, name: string) => Effect.map(Stream.runCollect(workspace.read(name)), concat)

/** Makes the events of the last step, with the H.265. `entry` is the multivariant playlist. */
const join = Effect.fnUntraced(function* (
  workspace: Workspace,
  encoded: StoredAudio.Encoded,
  entry: string,
  variant: HevcVariant.HevcVariant
) {
  const content = Stream.fromIterable(variant.index)
  yield* workspace.addFile({ path: `${workspace.output}/${HevcFiles.index}`, localFile: undefined, content })
  const { manifest, presentation } = encoded
  const addition = { hevc: variant.rendition, playlist: variant.playlist, audio: yield* StoredAudio.of(encoded) }
  const texts = [
    ...HevcPlaylists.joinHls(entry, addition),
    [StreamFiles.entry("dash"), AdaptationSets.add(manifest, variant.adaptationSet)] as const
  ]
  return [
    ConversionEvent.SegmentFinished({ name: HevcFiles.index }),
    ...texts.map(([name, text]) => ConversionEvent.PlaylistUpdated({ name, text })),
    ConversionEvent.Finished({
      presentation: { ...presentation, hevc: HevcPlaylists.withAudio(addition.hevc, addition.audio) }
    })
  ]
})

/**
 * Adds the H.265 of a content to the events of its conversion, before `Finished`; the events of a presentation that is not shared stay as
 * they are. The entry of HLS is a multivariant playlist from the beginning, because players that have loaded a media playlist would not
 * find the variant. What cannot be added is left out.
 */
export const withHevc = <E, R>(events: Stream.Stream<Event, E, R>, content: PackageableContent, workspace: Workspace) =>
  Stream.suspend(() => {
    let started: Presentation | undefined
    let manifest: string | undefined
    let entry: string | undefined

    const replace = (presentation: Presentation, { name, text }: { readonly name: string; readonly text: string }) => {
      if (name === StreamFiles.entry("dash")) {
        manifest = text
        return []
      }
      if (name !== StreamFiles.entry("hls")) return undefined
      if (StreamFiles.hasMultivariant(presentation)) {
        entry = text
        return undefined
      }
      const media = { name: StreamFiles.mediaPlaylist(presentation.renditions[0]), text }
      const isFirst = entry === undefined
      entry ??= HevcPlaylists.overOnly(presentation)
      return isFirst ? [media, { name, text: entry }] : [media]
    }

    const finish = Effect.fnUntraced(function* (presentation: Presentation, isOnly: boolean) {
      const text = isOnly ? HevcPlaylists.overOnly(presentation) : entry
      const whole = [
        ...(isOnly && text !== undefined ? [{ name: StreamFiles.entry("hls"), text }] : []),
        ...(manifest === undefined ? [] : [{ name: StreamFiles.entry("dash"), text: manifest }])
      ]
      const without: ReadonlyArray<Event> = [
        ...whole.map((playlist) => ConversionEvent.PlaylistUpdated(playlist)),
        ConversionEvent.Finished({ presentation })
      ]
      if (text === undefined || manifest === undefined) return without
      const described = manifest
      return yield* Effect.gen(function* () {
        const tracks = yield* SharedTracks.decode(yield* readAll(workspace, StreamFiles.tracks))
        const encoded = { presentation, tracks, manifest: described }
        const first = JoinedSource.ofBytes(yield* readAll(workspace, StreamFiles.chunk(0, 1)))
        const variant = yield* PackageHevc.prepare(content, yield* HevcVariant.timesOf(tracks, described, first))
        return Option.isNone(variant) ? without : yield* join(workspace, encoded, text, variant.value)
      }).pipe(
        Effect.catchTag("PackagingError", ({ detail, reason }) =>
          Effect.as(Effect.annotateLogs(Effect.logWarning("H.265 not packaged"), { reason, detail }), without)
        )
      )
    })

    return Stream.flatMap(events, (event) => {
      if (event._tag === "Started" && event.presentation.isShared === true) started = event.presentation
      if (started === undefined) return Stream.succeed(event)
      if (event._tag === "PlaylistUpdated") {
        const replaced = replace(started, event)
        return replaced === undefined
          ? Stream.succeed(event)
          : Stream.fromIterable(replaced.map((playlist) => ConversionEvent.PlaylistUpdated(playlist)))
      }
      if (event._tag !== "Finished") return Stream.succeed(event)
      return Stream.fromIterableEffect(finish(event.presentation, !StreamFiles.hasMultivariant(started)))
    })
  })
