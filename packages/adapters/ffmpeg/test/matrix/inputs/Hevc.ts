/**
 * H.265 as phones and others record it, which plays as it was uploaded beside the H.264, or not.
 */
import * as EditMedia from "@holdfast/testing/transcoding/EditMedia"
import { aac, type Input, make, picture, type Picture, sound } from "../Input.ts"

const asUploaded = "as uploaded"
const notByAll = "Not all players of H.265 support the video."

const codec = (parameters = "colorprim=bt709:transfer=bt709:colormatrix=bt709"): string =>
  `-c:v libx265 -preset ultrafast -tag:v hvc1 -x265-params log-level=none:open-gop=0:bframes=2:keyint=25:${parameters}`
const hlg = codec("colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc")
const pq = codec("colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc")

const toHdr = (transfer: string): Picture => ({
  filter: `zscale=matrixin=bt709:transferin=bt709:primariesin=bt709:rangein=limited:transfer=${transfer}:primaries=bt2020:matrix=bt2020nc`,
  pixels: "yuv420p10le"
})

const video = (
  name: string,
  hevc: string,
  options = "",
  expected: Parameters<typeof make>[2] = {},
  edit?: (media: Buffer) => Buffer
): Input => make(name, `${picture()} ${sound()} ${codec()} ${aac} ${options}`, { ...expected, hevc }, edit)

export const inputs: ReadonlyArray<Input> = [
  video("hevc-sdr.mp4", asUploaded),
  video("hevc-fragments.mp4", asUploaded, "-movflags frag_keyframe+empty_moov"),
  video("hevc-no-edit-list.mp4", asUploaded, "-use_editlist 0"),
  make("hevc-phone.mov", `${picture(toHdr("arib-std-b67"))} ${sound()} ${hlg} ${aac}`, {
    looksAlike: false,
    hevc: asUploaded
  }),
  make("hevc-hdr10.mp4", `${picture(toHdr("smpte2084"))} ${sound()} ${pq} ${aac}`, {
    looksAlike: false,
    hevc: asUploaded
  }),
  make("hevc-slow-motion.mov", `${picture({ rate: "240" })} ${sound()} ${codec()} ${aac}`, {
    rate: 60,
    hevc: asUploaded
  }),
  make("hevc-cropped.mp4", `${picture({ size: "190x106" })} ${sound()} ${codec()} ${aac}`, {
    size: "190x106",
    hevc: asUploaded
  }),
  make("hevc-open-gop.mp4", `${picture()} ${sound()} ${codec("open-gop=1:scenecut=0")} ${aac}`, { hevc: asUploaded }),
  make("hevc-sound-late.mp4", `${picture()} -itsoffset 0.4 ${sound()} ${codec()} ${aac} -t 3`, {
    soundLater: 0.4,
    hevc: asUploaded
  }),
  make("hevc-picture-late.mp4", `-itsoffset 0.4 ${picture()} ${sound()} ${codec()} ${aac} -t 3`, {
    soundLater: -0.4,
    hevc: asUploaded
  }),
  video("hevc-rotated.mov", notByAll, "", { size: "108x192" }, (media) => EditMedia.rotateTrack(media, 90)),
  make("hevc-422.mov", `${picture({ pixels: "yuv422p10le" })} ${sound()} ${codec()} ${aac}`, { hevc: notByAll })
]
