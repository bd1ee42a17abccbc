/**
 * Writes HLS multivariant playlists (RFC 8216, section 4.3.4).
 */
import type { AudioRendition } from "@holdfast/core/transcoding/AudioRendition"
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

/** The group of all audio renditions. */
const audioGroup = "audio"

/** The first one is the default. */
const media = ({ rendition: { channels, label, language }, uri }: VariantAudio, index: number): string =>
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

export const render = (variants: ReadonlyArray<Variant>, audio: ReadonlyArray<VariantAudio> = []): string =>
  [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...audio.map(media),
    ...variants.flatMap((variant) => [
      `#EXT-X-STREAM-INF:${streamInf(variant)}${audio.length === 0 ? "" : `,AUDIO="${audioGroup}"`}`,
      variant.uri
    ]),
    ""
  ].join("\n")
