/**
 * Files that cannot be converted, or only in part.
 */
import * as EditMedia from "@holdfast/testing/transcoding/EditMedia"
import type { Reason } from "@holdfast/core/transcoding/TranscodeError"
import { aac, h264, type Input, make, picture, sound } from "../Input.ts"

const av = `${picture()} ${sound()} ${h264} ${aac}`
const webm = `${picture()} ${sound()} -c:v libvpx -deadline realtime -cpu-used 8 -b:v 1M -c:a libopus`

const refused = (name: string, options: string, reason: Reason, edit?: (media: Buffer) => Buffer): Input =>
  make(name, options, { refused: [reason] }, edit)

const damaged = (name: string, options: string, edit: (media: Buffer) => Buffer): Input =>
  make(name, options, { refused: ["Failed", "NotMedia", "Unsupported"], isDamaged: true }, edit)

/** Another content of the same file name. */
const content = (name: string, bytes: string | Buffer): Input =>
  refused(name, `-f lavfi -i color=s=16x16:d=0.1 -f rawvideo`, "NotMedia", () => Buffer.from(bytes))

/** Replaces bytes at fractions of a file. */
const overwrite =
  (bytes: number, ...at: ReadonlyArray<number>) =>
  (media: Buffer): Buffer => {
    for (const fraction of at)
      media.fill(0xa5, Math.floor(media.length * fraction), Math.floor(media.length * fraction) + bytes)
    return media
  }

/** Removes every `nth` packet of an MPEG transport stream. */
const withoutPackets =
  (nth: number) =>
  (media: Buffer): Buffer =>
    Buffer.concat(
      Array.from({ length: Math.floor(media.length / 188) }, (_, index) =>
        media.subarray(188 * index, 188 * (index + 1))
      ).filter((_, index) => index < 40 || index % nth !== 0)
    )

const key =
  "-encryption_scheme cenc-aes-ctr -encryption_key 76a6c65c5ea762046bd749a2e632ccbb -encryption_kid a7e61c373e219033c21091fa607bf3b8"
const image = "-f lavfi -i testsrc2=s=64x64:r=1:d=1 -frames:v 1"
const flac = `${sound()} -c:a flac`

export const inputs: ReadonlyArray<Input> = [
  refused("encrypted.mp4", `${av} ${key}`, "Encrypted"),
  refused("encrypted.mov", `${av} ${key}`, "Encrypted"),
  refused("cut.mp4", `${av} -movflags +faststart`, "Failed", EditMedia.cutInHalf),
  refused("cut-index.mp4", av, "NotMedia", EditMedia.cutInHalf),
  refused("cut.mkv", av, "Failed", EditMedia.cutInHalf),
  refused("cut.webm", webm, "Failed", EditMedia.cutInHalf),
  damaged("cut.avi", av, EditMedia.cutInHalf),
  damaged("cut.ts", av, EditMedia.cutInHalf),
  damaged("cut.flv", av, EditMedia.cutInHalf),
  damaged("cut-fragmented.mp4", `${av} -movflags frag_keyframe+empty_moov`, EditMedia.cutInHalf),
  damaged("cut.mp3", `${sound()} -c:a libmp3lame`, EditMedia.cutInHalf),
  damaged("cut.flac", flac, EditMedia.cutInHalf),
  damaged("cut.wav", `${sound()} -c:a pcm_s16le`, EditMedia.cutInHalf),
  damaged("cut.ogg", `${sound()} -c:a libvorbis`, EditMedia.cutInHalf),
  damaged("flipped.mp4", `${av} -movflags +faststart`, overwrite(64, 0.4, 0.6)),
  damaged("flipped-start.mp4", `${av} -movflags +faststart`, overwrite(64, 0.06, 0.1)),
  damaged("flipped-end.mp4", `${av} -movflags +faststart`, overwrite(64, 0.97)),
  damaged("flipped-much.mp4", `${av} -movflags +faststart`, overwrite(2000, 0.3, 0.5, 0.7)),
  damaged("flipped.mkv", av, overwrite(64, 0.4, 0.6)),
  damaged("flipped.webm", webm, overwrite(64, 0.4, 0.6)),
  damaged("flipped.ts", av, overwrite(64, 0.4, 0.6)),
  damaged("flipped.avi", `${picture()} ${sound()} -c:v mpeg4 -q:v 3 -c:a libmp3lame`, overwrite(64, 0.4, 0.6)),
  damaged("flipped.flac", flac, overwrite(64, 0.4, 0.6)),
  damaged("lost-packets.ts", av, withoutPackets(50)),
  damaged("lost-many-packets.ts", av, withoutPackets(7)),
  damaged("no-index.avi", av, (media) => media.subarray(0, media.lastIndexOf("idx1"))),
  damaged("junk-after.mp4", av, (media) => Buffer.concat([media, Buffer.alloc(10_000, 0x5a)])),
  damaged("twice.ts", av, (media) => Buffer.concat([media, media])),
  content("empty.mp4", ""),
  content("text.mp4", "Not a video at all.\n".repeat(100)),
  content("page.mp4", "<!doctype html><html><title>404</title><body>Not found</body></html>"),
  content("playlist.mp4", "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nindex0.ts\n#EXT-X-ENDLIST\n"),
  content("archive.mp4", Buffer.concat([Buffer.from("PK\u0003\u0004"), Buffer.alloc(5000, 7)])),
  content("zeros.mp4", Buffer.alloc(100_000)),
  content("beginning.mp4", Buffer.from("\0\0\0\u0018ftypisom\0\0\u0002\0isommp41", "latin1")),
  refused("image.jpg", `${image} -c:v mjpeg -pix_fmt yuvj420p -f image2`, "NotMedia"),
  refused("image.png", `${image} -c:v png -f image2`, "NotMedia"),
  refused("animation.gif", "-f lavfi -i testsrc2=s=64x64:r=5:d=1", "NotMedia"),
  refused(
    "video.mxf",
    `${picture({ size: "256x120", pixels: "yuv422p" })} -c:v dnxhd -profile:v dnxhr_sq`,
    "Unsupported"
  ),
  refused("sound.aiff", sound(), "Unsupported"),
  refused("sound.caf", sound(), "Unsupported"),
  refused("sound.wv", `${sound()} -c:a wavpack`, "Unsupported")
]
