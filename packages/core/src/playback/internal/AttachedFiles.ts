/**
 * Adds the captions that are attached to a content to the files of its streams, when these are read.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { AttachedCaptions } from "../../captions/AttachedCaptions.ts"
import type { CaptionRepository } from "../../captions/CaptionRepository.ts"
import type { ConversionRepository } from "../../conversions/ConversionRepository.ts"
import type { StreamState } from "../../conversions/StreamRecord.ts"
import type { MetadataError } from "../../MetadataError.ts"
import * as CaptionText from "../../transcoding/CaptionText.ts"
import * as ManifestCaptions from "../../transcoding/ManifestCaptions.ts"
import * as MultivariantPlaylist from "../../transcoding/MultivariantPlaylist.ts"
import type { Format, Presentation } from "../../transcoding/Presentation.ts"
import * as StreamFiles from "../../transcoding/StreamFiles.ts"

/** A file of a stream of a content. */
interface AttachedFile {
  readonly bucket: BucketRef
  /** The blob of the content. */
  readonly blobId: string
  readonly conversionId: string
  readonly state: StreamState
  readonly format: Format
  readonly name: string
}

/** Returns the name under which the conversion stored a file: the only media playlist of HLS is its entry. */
export const storedName = (format: Format, name: string): string =>
  format === "hls" && name === StreamFiles.onlyMedia ? StreamFiles.entry("hls") : name

const toFiles = (captions: ReadonlyArray<AttachedCaptions>): ReadonlyArray<StreamFiles.CaptionFiles> =>
  StreamFiles.captionFiles({
    captions: captions.map(({ id, label, language }) => ({ name: StreamFiles.attachedName(id), label, language }))
  })

/** Returns a multivariant playlist over the only media playlist of a presentation. */
const overOnlyMedia = ({ renditions }: Presentation): string =>
  MultivariantPlaylist.render(
    renditions.map((rendition) => ({
      rendition,
      uri: StreamFiles.onlyMedia,
      peakBitrate: rendition.peakBitrate ?? rendition.bitrate,
      codecs: rendition.codecs ?? []
    }))
  )

export const make = (captions: CaptionRepository["Service"], conversions: ConversionRepository["Service"]) => {
  /** Finds the conversion; undefined if it was replaced meanwhile. Then the stream has another playlist soon. */
  const findConversion = ({ blobId, bucket, conversionId, state }: AttachedFile) =>
    Effect.map(conversions.listByContent(bucket, blobId), (all) =>
      all.find((one) => one.id === conversionId && one.state === state)
    )

  /**
   * Returns the entry of a conversion that runs. Players load a media playlist that grows again and again, and fail if it becomes a
   * multivariant one at the end. Therefore it is one from the beginning, if captions were attached before.
   */
  const growingEntry = Effect.fnUntraced(function* (file: AttachedFile, text: string) {
    if (file.format === "dash" || MultivariantPlaylist.isMultivariant(text)) return text
    const [first] = yield* captions.listByContent(file)
    if (first === undefined) return text
    const conversion = yield* findConversion(file)
    const startedAt = conversion?.startedAt ?? first.createdAt
    const presentation = conversion?.presentation
    const isEarlier = DateTime.isLessThan(first.createdAt, startedAt)
    return isEarlier && presentation?.hasVideo === true ? overOnlyMedia(presentation) : text
  })

  /** Returns the entry of a READY stream with the attached captions. */
  const addToEntry = Effect.fnUntraced(function* (file: AttachedFile, text: string) {
    const files = toFiles(yield* captions.listByContent(file))
    if (files.length === 0) return text
    if (file.format === "dash") return ManifestCaptions.add(text, files)
    if (MultivariantPlaylist.isMultivariant(text)) return MultivariantPlaylist.addCaptions(text, files)
    const presentation = (yield* findConversion(file))?.presentation
    // Sound alone has no picture in which a player shows captions.
    return presentation?.hasVideo === true ? MultivariantPlaylist.addCaptions(overOnlyMedia(presentation), files) : text
  })

  /** Returns the text of attached captions, or their playlist; none if there are none of this name. */
  const findCaptions = Effect.fnUntraced(function* (file: AttachedFile, id: string) {
    const cues = yield* captions.findCues({ ...file, id })
    if (Option.isNone(cues)) return undefined
    if (!StreamFiles.isPlaylist(file.name)) return CaptionText.toWebVtt(cues.value)
    const presentation = (yield* findConversion(file))?.presentation
    return CaptionText.playlist(`${StreamFiles.attachedName(id)}.vtt`, presentation?.duration ?? 0)
  })

  /**
   * Returns the text under a name, given what the conversion stored under `storedName`; undefined if there is none. Captions are READY
   * with the stream.
   */
  return (file: AttachedFile, stored: string | undefined): Effect.Effect<string | undefined, MetadataError> => {
    const { format, name, state } = file
    const id = StreamFiles.attachedId(name)
    if (id !== undefined) return findCaptions(file, id)
    if (stored === undefined) return Effect.succeed(stored)
    if (format === "hls" && name === StreamFiles.onlyMedia) {
      return Effect.succeed(MultivariantPlaylist.isMultivariant(stored) ? undefined : stored)
    }
    if (name !== StreamFiles.entry(format)) return Effect.succeed(stored)
    return state === "READY" ? addToEntry(file, stored) : growingEntry(file, stored)
  }
}
