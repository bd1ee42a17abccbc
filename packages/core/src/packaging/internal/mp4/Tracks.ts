/**
 * The tracks of a file, as the box `moov` describes them, without their samples (ISO/IEC 14496-12, 8.3).
 */
import { limitExceeded, malformed, unsupported } from "../../PackagingError.ts"
import type { Ac3Track, AudioTrack, VideoTrack } from "../../SourceIndex.ts"
import * as Boxes from "./Boxes.ts"
import * as EditList from "./EditList.ts"
import * as Limits from "./Limits.ts"
import * as SampleEntry from "./SampleEntry.ts"

interface Found {
  readonly id: number
  readonly edits: EditList.EditList
  /** The box with the tables of samples. */
  readonly stbl: DataView
}

/** A track without its samples. */
export type TrackHead =
  | (Found & { readonly kind: "video"; readonly format: Omit<VideoTrack, "samples"> })
  | (Found & { readonly kind: "audio"; readonly format: Omit<AudioTrack, "samples"> })
  | (Found & { readonly kind: "ac3"; readonly format: Omit<Ac3Track, "samples"> })

export interface Tracks {
  readonly heads: ReadonlyArray<TrackHead>
  /** Handler types of the tracks without support, and the type of a box with chapters. */
  readonly others: ReadonlyArray<string>
  /** Whether samples may be in fragments. */
  readonly isFragmented: boolean
}

const hasLongTimes = (body: DataView): boolean => Boxes.versionOf(body) === 1

/** Reads the ticks per second of `mvhd` or `mdhd`, which come after two times. */
const timeScaleOf = (body: DataView): number => {
  const timeScale = body.getUint32(hasLongTimes(body) ? 20 : 12)
  if (timeScale === 0) throw malformed("A time scale is zero.")
  return timeScale
}

/** Reads the language of `mdhd`: three letters of five bits each (8.4.2.3). Lower values are codes of QuickTime. */
const languageOf = (body: DataView): string | null => {
  const packed = body.getUint16(hasLongTimes(body) ? 32 : 20) & 0x7fff
  if (packed < 0x400) return null
  const language = String.fromCharCode(...[10, 5, 0].map((shift) => 0x60 + ((packed >> shift) & 0x1f)))
  return /^[a-z]{3}$/.test(language) && language !== "und" ? language : null
}

/** Whether the matrix of `tkhd` leaves the picture as it is: its first two rows are those of the identity. */
const isUpright = (tkhd: DataView): boolean => {
  const at = hasLongTimes(tkhd) ? 52 : 40
  return [0x10000, 0, 0, 0, 0x10000].every((value, index) => tkhd.getInt32(at + 4 * index) === value)
}

/** Throws if the samples are in another file (8.7.2). */
const checkReference = (minf: DataView): void => {
  const dinf = Boxes.find(minf, "dinf")
  const dref = dinf && Boxes.find(dinf, "dref")
  if (dref === undefined) return
  const [first] = Boxes.children(dref, 8)
  if (first !== undefined && (Boxes.flagsOf(first.body) & 1) === 0) throw unsupported("A track is in another file.")
}

/** Parses a track. Returns its handler type if it has no support. */
const parseTrack = (trak: DataView, movieTimeScale: number): TrackHead | string => {
  const tkhd = Boxes.get(trak, "tkhd")
  const mdia = Boxes.get(trak, "mdia")
  const handler = Boxes.typeAt(Boxes.get(mdia, "hdlr"), 8)
  if (handler !== "vide" && handler !== "soun") return handler
  const mdhd = Boxes.get(mdia, "mdhd")
  const minf = Boxes.get(mdia, "minf")
  const stbl = Boxes.get(minf, "stbl")
  const entry = SampleEntry.only(stbl)
  checkReference(minf)
  const edits = EditList.read(trak, movieTimeScale)
  const found = { id: tkhd.getUint32(hasLongTimes(tkhd) ? 20 : 12), edits, stbl }
  const timeScale = timeScaleOf(mdhd)
  const track = {
    language: languageOf(mdhd),
    timeScale,
    start: edits.start,
    pause: Math.round(edits.pause * timeScale),
    shown: edits.shown
  }
  if (handler === "vide") {
    const format = SampleEntry.video(entry)
    if (format === undefined) return handler
    return { kind: "video", ...found, format: { ...track, ...format, isUpright: isUpright(tkhd) } }
  }
  const ac3 = SampleEntry.ac3(entry)
  if (ac3 !== undefined) return { kind: "ac3", ...found, format: { ...track, ...ac3 } }
  const format = SampleEntry.audio(entry)
  return format === undefined ? handler : { kind: "audio", ...found, format: { ...track, ...format } }
}

/** The box of a list of chapters that is no track, which Nero introduced. */
const chapters = "chpl"

/** Parses the body of `moov`. */
export const parse = (moov: DataView): Tracks => {
  const heads: Array<TrackHead> = []
  const others: Array<string> = []
  const movieTimeScale = timeScaleOf(Boxes.get(moov, "mvhd"))
  for (const { body, type } of Boxes.children(moov)) {
    if (type !== "trak") continue
    if (heads.length + others.length === Limits.maxTracks) throw limitExceeded("The file has too many tracks.")
    const track = parseTrack(body, movieTimeScale)
    if (typeof track === "string") others.push(track)
    else heads.push(track)
  }
  const userData = Boxes.find(moov, "udta")
  if (userData !== undefined && Boxes.find(userData, chapters) !== undefined) others.push(chapters)
  return { heads, others, isFragmented: Boxes.find(moov, "mvex") !== undefined }
}
