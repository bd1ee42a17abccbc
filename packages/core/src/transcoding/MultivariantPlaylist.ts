/**
 * Writes HLS multivariant playlists (RFC 8216, section 4.3.4), and adds captions to one.
 */
import type * as Arr from "effect/Array"
import type { AudioRendition } from "./AudioRendition.ts"
import type { Rendition, VideoRange } from "./Presentation.ts"
import type { CaptionFiles } from "./StreamFiles.ts"
import * as TrackLabels from "./TrackLabels.ts"

export interface Variant {
  readonly rendition: Rendition
  readonly uri: string
  /** Bits per second at most (RFC 8216, section 4.1). The rendition's bitrate is the average. */
  readonly peakBitrate: number
  /** Codec names by RFC 6381. */
  readonly codecs: ReadonlyArray<string>
  /** The audio that a player may load beside it. */
  readonly audio?: AudioGroup | undefined
  /** Absent if no variant has HDR. */
  readonly range?: VideoRange | undefined
}

/** An audio rendition. Without `uri`, the segments of the variants contain it. */
export interface VariantAudio {
  readonly rendition: AudioRendition
  readonly uri: string | undefined
}

/** Audio renditions among which a viewer chooses. A player ignores the variants of a group with a codec that it does not support. */
export interface AudioGroup {
  readonly id: string
  /** Of the copies in it; undefined for the group of AAC alone, with the first of all renditions. */
  readonly codec: AudioRendition["codec"]
  readonly audio: ReadonlyArray<VariantAudio>
}

/** The groups of AAC, and of all captions. */
const audioGroup = "audio"
const captionGroup = "captions"

/**
 * Returns the groups of all audio renditions: one of AAC, and one for each other codec. All groups have the same languages under the same
 * labels (RFC 8216, section 4.3.4.1.1), so that a group of copies has stereo for a track without a copy.
 */
export const audioGroups = (all: ReadonlyArray<VariantAudio>): Arr.NonEmptyReadonlyArray<AudioGroup> => {
  const tracks: Array<{ readonly stereo: VariantAudio; readonly copies: Array<VariantAudio> }> = []
  for (const one of all) {
    // The renditions of a track follow each other, stereo first.
    if (one.rendition.codec !== undefined) tracks.at(-1)?.copies.push(one)
    else if (one.rendition.channels <= 2) tracks.push({ stereo: one, copies: [] })
  }
  const codecs = new Set(all.flatMap(({ rendition: { codec } }) => (codec === undefined ? [] : [codec])))
  return [
    { id: audioGroup, codec: undefined, audio: all.filter(({ rendition }) => rendition.codec === undefined) },
    ...Array.from(codecs, (codec): AudioGroup => ({
      id: codec,
      codec,
      audio: tracks.map(({ copies, stereo }) => {
        const copy = copies.find(({ rendition }) => rendition.codec === codec)
        return copy === undefined
          ? stereo
          : { uri: copy.uri, rendition: { ...copy.rendition, label: stereo.rendition.label } }
      })
    }))
  ]
}

/**
 * Returns the codecs of a variant in groups of copied audio, given those of its segments. AAC in the segments is left out: video.js does
 * not check the codecs of a variant with two of audio, begins to play it, and fails.
 */
export const codecsBeside = (codecs: ReadonlyArray<string>, copied: ReadonlyArray<string>): ReadonlyArray<string> =>
  copied.length === 0 ? codecs : [...codecs.filter((codec) => !codec.startsWith("mp4a.")), ...copied]

const captionMedia = ({ playlist, rendition: { label, language } }: CaptionFiles): string =>
  `#EXT-X-MEDIA:${[
    `TYPE=SUBTITLES,GROUP-ID="${captionGroup}",NAME="${label}"`,
    ...(language === null ? [] : [`LANGUAGE="${language}"`]),
    `DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="${playlist}"`
  ].join(",")}`

/** The first one is the default. */
const audioMedia = (
  group: string,
  { rendition: { channels, label, language }, uri }: VariantAudio,
  index: number
): string =>
  `#EXT-X-MEDIA:${[
    `TYPE=AUDIO,GROUP-ID="${group}",NAME="${label}"`,
    ...(language === null ? [] : [`LANGUAGE="${language}"`]),
    `DEFAULT=${index === 0 ? "YES" : "NO"},AUTOSELECT=YES,CHANNELS="${channels}"`,
    ...(uri === undefined ? [] : [`URI="${uri}"`])
  ].join(",")}`

const streamInf = ({ codecs, peakBitrate, range, rendition: { bitrate, frameRate, height, width } }: Variant): string =>
  [
    `BANDWIDTH=${Math.max(peakBitrate, bitrate)}`,
    `AVERAGE-BANDWIDTH=${bitrate}`,
    ...(width === null || height === null ? [] : [`RESOLUTION=${width}x${height}`]),
    ...(frameRate === null ? [] : [`FRAME-RATE=${frameRate.toFixed(3)}`]),
    ...(codecs.length === 0 ? [] : [`CODECS="${codecs.join(",")}"`]),
    ...(range === undefined ? [] : [`VIDEO-RANGE=${range}`])
  ].join(",")

const hasAudio = (group: AudioGroup | undefined): group is AudioGroup => group !== undefined && group.audio.length > 0

/** Returns the attributes that name the groups of a variant. */
const groupsOf = ({ audio }: Variant, captions: ReadonlyArray<CaptionFiles>): string =>
  [
    ...(hasAudio(audio) ? [`,AUDIO="${audio.id}"`] : []),
    ...(captions.length === 0 ? [] : [`,SUBTITLES="${captionGroup}"`])
  ].join("")

export const render = (variants: ReadonlyArray<Variant>, captions: ReadonlyArray<CaptionFiles> = []): string => {
  const groups = new Map(variants.flatMap(({ audio }) => (hasAudio(audio) ? [[audio.id, audio]] : [])))
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...[...groups.values()].flatMap(({ audio, id }) => audio.map((one, index) => audioMedia(id, one, index))),
    ...captions.map(captionMedia),
    ...variants.flatMap((variant) => [
      `#EXT-X-STREAM-INF:${streamInf(variant)}${groupsOf(variant, captions)}`,
      variant.uri
    ]),
    ""
  ].join("\n")
}

/** A playlist of the keyframes of a variant. */
export interface Keyframes {
  readonly rendition: Rendition
  readonly uri: string
  /** Bits per second at most. */
  readonly peakBitrate: number
}

/** Returns a multivariant playlist with the keyframes of one of its variants (RFC 8216, section 4.3.4.3). */
export const addKeyframes = (text: string, { peakBitrate, rendition, uri }: Keyframes): string => {
  const { codecs = [], height, width } = rendition
  const [video] = codecs
  const attributes = [
    `BANDWIDTH=${peakBitrate}`,
    ...(width === null || height === null ? [] : [`RESOLUTION=${width}x${height}`]),
    ...(video === undefined ? [] : [`CODECS="${video}"`]),
    `URI="${uri}"`
  ]
  return `${text}#EXT-X-I-FRAME-STREAM-INF:${attributes.join(",")}\n`
}

/** Bits per second. A line of 1.1 Mbit/s loads the first second of such a variant, mostly a keyframe, in less than half a second. */
const startBitrate = 600_000

/**
 * Returns variants in the order of a playlist: first the one with which players begin, the best that starts fast; then the others, the
 * best first. From the first segment on, players choose by the bandwidth that they measure.
 */
export const startFirst = (variants: ReadonlyArray<Variant>): ReadonlyArray<Variant> => {
  const first = variants.find(({ peakBitrate }) => peakBitrate <= startBitrate) ?? variants.at(-1)
  return first === undefined ? variants : [first, ...variants.filter((variant) => variant !== first)]
}

/** Whether a text is a multivariant playlist. */
export const isMultivariant = (text: string): boolean => /^#EXT-X-STREAM-INF:/m.test(text)

/** Returns a multivariant playlist with further captions. Their labels become different from those that it has. */
export const addCaptions = (text: string, captions: ReadonlyArray<CaptionFiles>): string => {
  if (captions.length === 0) return text
  const taken = [...text.matchAll(/^#EXT-X-MEDIA:TYPE=SUBTITLES,[^\n]*?NAME="([^"\n]*)"/gm)].map(
    ([, name = ""]) => name
  )
  const media = TrackLabels.distinguish(captions, taken).map(captionMedia)
  const inGroup = text.replaceAll(/^#EXT-X-STREAM-INF:(?!.*,SUBTITLES=).*$/gm, `$&,SUBTITLES="${captionGroup}"`)
  return inGroup.replace(/^#EXT-X-STREAM-INF:/m, (first) => `${media.join("\n")}\n${first}`)
}

const captionsIn = /,SUBTITLES="[^"\n]*"/

const toLines = ({ audio, id }: AudioGroup): string =>
  audio.map((one, index) => `${audioMedia(id, one, index)}\n`).join("")

/**
 * Returns a multivariant playlist with a further variant, behind those that it has, and with its audio. It has the captions of the others.
 * If it has HDR, all variants state their range (RFC 8216bis, section 4.4.6.2). If it has audio, the others have a group, too, if only for
 * the audio in their segments: Shaka Player waits for the audio of the further variant otherwise, which it never loads. A group that another
 * variant has already is not added again.
 */
export const addVariant = (text: string, variant: Variant): string => {
  const { audio, range = "SDR", uri } = variant
  const [captions = ""] = captionsIn.exec(text) ?? []
  const own = hasAudio(audio) && !text.includes(`,GROUP-ID="${audio.id}",`) ? toLines(audio) : ""
  const [first] = audio?.audio ?? []
  const inSegments =
    first === undefined || text.includes("#EXT-X-MEDIA:TYPE=AUDIO,")
      ? undefined
      : { id: audioGroup, codec: undefined, audio: [{ ...first, uri: undefined }] }
  const media = `${inSegments === undefined ? "" : toLines(inSegments)}${own}`
  const further = `${range === "SDR" ? "" : ",VIDEO-RANGE=SDR"}${inSegments === undefined ? "" : `,AUDIO="${audioGroup}"`}`
  const others = text.replaceAll(/^#EXT-X-STREAM-INF:.*$/gm, (tag) => `${tag}${further}`)
  const stated = { ...variant, range: range === "SDR" && !text.includes(",VIDEO-RANGE=") ? undefined : range }
  const tag = `#EXT-X-STREAM-INF:${streamInf(stated)}${groupsOf(variant, [])}${captions}`
  return `${others.replace(/^#EXT-X-STREAM-INF:/m, (found) => `${media}${found}`)}${tag}\n${uri}\n`
}

/** The attributes of a variant that name the groups of its audio and captions. */
const groupAttributes = /,(?:AUDIO|SUBTITLES)="[^"\n]*"/g

/** Returns the highest bitrate of the audio that a player loads beside a variant, given the variant without it and its tag. */
const besideOf = (tag: string, { peakBitrate, rendition: { bitrate } }: Variant): number => {
  const [, bandwidth] = /:BANDWIDTH=(\d+)/.exec(tag) ?? []
  return Math.max(0, Number(bandwidth ?? 0) - Math.max(peakBitrate, bitrate))
}

/** Returns the codecs of audio in a tag that variants of other audio do not have. Its groups are named by them, too. */
const copiedCodecsOf = (tag: string): ReadonlyArray<string> =>
  tag.replaceAll(groupAttributes, "").match(/(?<=[",])(?:ac-3|ec-3)(?=[",])/g) ?? []

/**
 * Returns a multivariant playlist whose only variant, in one or more groups of audio, is the first of `variants`, with all of them. They
 * share its audio and captions.
 */
export const withVariants = (text: string, variants: readonly [Variant, ...Array<Variant>]): string => {
  const all = (text.match(/^#EXT-X-STREAM-INF:.*$/gm) ?? []).flatMap((tag) => {
    const groups = (tag.match(groupAttributes) ?? []).join("")
    const beside = besideOf(tag, variants[0])
    return startFirst(variants).flatMap(({ codecs, peakBitrate, rendition, uri }) => [
      `#EXT-X-STREAM-INF:${streamInf({
        uri,
        codecs: codecsBeside(codecs, copiedCodecsOf(tag)),
        rendition: { ...rendition, bitrate: rendition.bitrate + beside },
        peakBitrate: peakBitrate + beside
      })}${groups}`,
      uri
    ])
  })
  const kept = text.split("\n").filter((each) => each.startsWith("#") && !each.startsWith("#EXT-X-STREAM-INF:"))
  return [...kept, ...all, ""].join("\n")
}
