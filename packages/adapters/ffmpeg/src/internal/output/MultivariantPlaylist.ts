/**
 * Writes HLS multivariant playlists (RFC 8216, section 4.3.4).
 */
import type { Rendition } from "@holdfast/core/transcoding/Presentation"

export interface Variant {
  readonly rendition: Rendition
  readonly uri: string
  /** Bits per second at most (RFC 8216, section 4.1). The rendition's bitrate is the average. */
  readonly peakBitrate: number
  /** Codec names by RFC 6381. */
  readonly codecs: ReadonlyArray<string>
}

const streamInf = ({ codecs, peakBitrate, rendition: { bitrate, frameRate, height, width } }: Variant): string =>
  [
    `BANDWIDTH=${Math.max(peakBitrate, bitrate)}`,
    `AVERAGE-BANDWIDTH=${bitrate}`,
    ...(width === null || height === null ? [] : [`RESOLUTION=${width}x${height}`]),
    ...(frameRate === null ? [] : [`FRAME-RATE=${frameRate.toFixed(3)}`]),
    ...(codecs.length === 0 ? [] : [`CODECS="${codecs.join(",")}"`])
  ].join(",")

export const render = (variants: ReadonlyArray<Variant>): string =>
  [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...variants.flatMap((variant) => [`#EXT-X-STREAM-INF:${streamInf(variant)}`, variant.uri]),
    ""
  ].join("\n")
