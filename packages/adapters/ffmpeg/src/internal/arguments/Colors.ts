/**
 * Filters that convert colours.
 *
 * H.264 of 8 bits shows the colours of BT.709 and of standard definition. Pictures of standard definition keep theirs; those with
 * more colours or a high dynamic range become BT.709.
 */
import * as Color from "@holdfast/core/transcoding/Color"

/**
 * Luminance of white in nits (ITU-R BT.2408). The curve `mobius` leaves what is darker than 0.6 of white, and compresses the rest up
 * to the peak of the content. SSIM of a test picture with itself in standard dynamic range is 0.88, as without compression;
 * `hable` has 0.83.
 */
const white = 203

/** The matrices that the filter `scale` knows, by H.273's names, and its own names for them. */
const scaleMatrices: { readonly [matrix: string]: string } = {
  bt709: "bt709",
  smpte170m: "smpte170m",
  bt470bg: "bt470",
  fcc: "fcc",
  smpte240m: "smpte240m"
}

/** Sets the properties of frames, without a change of their samples. */
const declare = ({ fullRange, matrix, primaries, transfer }: Color.KnownColor): string =>
  `setparams=range=${fullRange ? "full" : "limited"}:colorspace=${matrix}:color_primaries=${primaries}:color_trc=${transfer}`

const bt709: Color.KnownColor = { matrix: "bt709", transfer: "bt709", primaries: "bt709", fullRange: false }

/** Converts by light, which takes much longer than another matrix. */
const toBt709 = (color: Color.KnownColor): ReadonlyArray<string> =>
  Color.isHdr(color)
    ? [
        `zscale=transfer=linear:npl=${white}`,
        "format=gbrpf32le",
        "zscale=primaries=bt709",
        "tonemap=tonemap=mobius:param=0.6:desat=0",
        "zscale=transfer=bt709:matrix=bt709:range=limited"
      ]
    : ["zscale=primaries=bt709:transfer=bt709:matrix=bt709:range=limited"]

/** Returns the filters before a picture is scaled, for a picture of these colours. Those of a wide one need zimg in ffmpeg. */
export const before = (color: Color.KnownColor): ReadonlyArray<string> => [
  declare(color),
  ...(Color.isWide(color) ? toBt709(color) : [])
]

/** Returns the colours that `before` leads to, and that an encoded track has. */
const target = (color: Color.KnownColor): Color.KnownColor => {
  if (Color.isWide(color)) return bt709
  return { ...color, matrix: color.matrix in scaleMatrices ? color.matrix : bt709.matrix, fullRange: false }
}

/** Returns the options of `scale` with which it writes the colours of an encoded track. */
export const scaleOptions = (color: Color.KnownColor): string =>
  `out_color_matrix=${scaleMatrices[target(color).matrix]}:out_range=limited`

/** Returns the filter that sets the colours of an encoded track, so that players assume the same ones for all renditions. */
export const after = (color: Color.KnownColor): string => declare(target(color))

/** Options of `scale` with which it writes the colours of a JPEG (JFIF 1.02: BT.601, all values). */
export const jpegOptions = "out_color_matrix=smpte170m:out_range=full"
