/**
 * Writes HLS multivariant playlists (RFC 8216, section 4.3.4).
 */
import type { AudioRendition } from "@holdfast/core/transcoding/AudioRendition"
import type { CaptionFiles } from "@holdfast/core/transcoding/StreamFiles"
import type { Rendition } from "@holdfast/core/transcoding/Presentation"

export interface Variant {
  readonly rendition: Rendition
  readonly uri: string
  /** Bits per second at most (RFC 8216, section 4.1). The rendition's bitrate is the average. */
  readonly peakBitrate: number
  /** Codec names by RFC 6381. */
  readonly codecs: ReadonlyArray<string>
}

/** An audio rendition. Without `uri`, the segments of the variants contain it. */
export interface VariantAudio {
  readonly rendition: AudioRendition
  readonly uri: string | undefined
}

/** The groups of all audio renditions, and of all captions. */
const audioGroup = "audio"
const captionGroup = "captions"

interface Groups {
  readonly audio: ReadonlyArray<VariantAudio>
  readonly captions: ReadonlyArray<CaptionFiles>
}

const captionMedia = ({ playlist, rendition: { label, language } }: CaptionFiles): string =>
  `#EXT-X-MEDIA:${[
    `TYPE=SUBTITLES,GROUP-ID="${captionGroup}",NAME="${label}"`,
    ...(language === null ? [] : [`LANGUAGE="${language}"`]),
    `DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="${playlist}"`
  ].join(",")}`

/** The first one is the default. */
const audioMedia = ({ rendition: { channels, label, language }, uri }: VariantAudio, index: number): string =>
  `#EXT-X-MEDIA:${[
    `TYPE=AUDIO,GROUP-ID="${audioGroup}",NAME="${label}"`,
    ...(language === null ? [] : [`LANGUAGE="${language}"`]),
    `DEFAULT=${index === 0 ? "YES" : "NO"},AUTOSELECT=YES,CHANNELS="${channels}"`,
    ...(uri === undefined ? [] : [`URI="${uri}"`])
  ].join(",")}`

const streamInf = ({ codecs, peakBitrate, rendition: { bitrate, frameRate, height, width } }: Variant): string =>
  [
    `BANDWIDTH=${Math.max(peakBitrate, bitrate)}`,
    `AVERAGE-BANDWIDTH=${bitrate}`,
    ...(width === null || height === null ? [] : [`RESOLUTION=${width}x${height}`]),
    ...(frameRate === null ? [] : [`FRAME-RATE=${frameRate.toFixed(3)}`]),
    ...(codecs.length === 0 ? [] : [`CODECS="${codecs.join(",")}"`])
  ].join(",")

const none: Groups = { audio: [], captions: [] }

/** Returns the attributes that name the groups of a variant. */
const groupsOf = ({ audio, captions }: Groups): string =>
  [
    ...(audio.length === 0 ? [] : [`,AUDIO="${audioGroup}"`]),
    ...(captions.length === 0 ? [] : [`,SUBTITLES="${captionGroup}"`])
  ].join("")

export const render = (variants: ReadonlyArray<Variant>, groups: Groups = none): string =>
  [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...groups.audio.map(audioMedia),
    ...groups.captions.map(captionMedia),
    ...variants.flatMap((variant) => [`#EXT-X-STREAM-INF:${streamInf(variant)}${groupsOf(groups)}`, variant.uri]),
    ""
  ].join("\n")
