/**
 * The samples of fragments (ISO/IEC 14496-12, 8.8). Each box `moof` lists those of the `mdat` after it, so that the index of segments
 * (`sidx`) and that of keyframes (`mfra`) contain nothing more.
 */
import { limitExceeded, malformed, unsupported } from "../../PackagingError.ts"
import * as Boxes from "./Boxes.ts"
import * as Limits from "./Limits.ts"
import type { SampleList } from "./SampleList.ts"

/** Values for samples of which a fragment does not state them (8.8.3 and 8.8.7). */
interface Defaults {
  readonly entry: number
  readonly duration: number
  readonly size: number
  readonly flags: number
}

/** Returns the defaults of a movie, by track. */
export const defaults = (moov: DataView): ReadonlyMap<number, Defaults> => {
  const result = new Map<number, Defaults>()
  for (const { body, type } of Boxes.children(Boxes.get(moov, "mvex"))) {
    if (type !== "trex") continue
    if (result.size === Limits.maxTracks) throw limitExceeded("The file has too many tracks.")
    const [id, entry, duration, size, flags] = [4, 8, 12, 16, 20].map((at) => body.getUint32(at))
    result.set(id ?? 0, { entry: entry ?? 0, duration: duration ?? 0, size: size ?? 0, flags: flags ?? 0 })
  }
  return result
}

/** Set in the flags of a sample that needs others. */
const needsOthers = 0x1_0000

/** Flags of `tfhd`: which fields it has. */
const has = { base: 1, entry: 2, duration: 8, size: 0x10, flags: 0x20, relativeToMoof: 0x2_0000 }

interface TrackFragment {
  readonly id: number
  readonly defaults: Defaults
  /** Where the offsets of runs begin; undefined if the fragment does not say. */
  readonly base: number | undefined
}

/** Parses `tfhd`, whose optional fields come in a fixed order. */
const header = (body: DataView, moofAt: number, ofMovie: ReadonlyMap<number, Defaults>): TrackFragment => {
  const flags = Boxes.flagsOf(body)
  const id = body.getUint32(4)
  const usual = ofMovie.get(id) ?? { entry: 1, duration: 0, size: 0, flags: 0 }
  let at = 8
  const base = flags & has.base ? Boxes.uint64At(body, at) : flags & has.relativeToMoof ? moofAt : undefined
  if (flags & has.base) at += 8
  const next = (flag: number, other: number): number => {
    if ((flags & flag) === 0) return other
    at += 4
    return body.getUint32(at - 4)
  }
  const own = {
    entry: next(has.entry, usual.entry),
    duration: next(has.duration, usual.duration),
    size: next(has.size, usual.size),
    flags: next(has.flags, usual.flags)
  }
  if (own.entry !== 1) throw unsupported("A track changes its codec.")
  return { id, defaults: own, base }
}

/** Flags of `trun`: which fields it and each of its entries have. */
const runHas = { offset: 1, firstFlags: 4, duration: 0x100, size: 0x200, flags: 0x400, delay: 0x800 }

/** Adds the samples of a `trun` (8.8.8). Returns where their bytes end. */
const addRun = (body: DataView, list: SampleList, usual: Defaults, start: { base: number; data: number }): number => {
  const flags = Boxes.flagsOf(body)
  const count = body.getUint32(4)
  const entryBytes =
    4 * [runHas.duration, runHas.size, runHas.flags, runHas.delay].filter((flag) => flags & flag).length
  let next = 8
  const read = (): number => {
    next += 4
    return body.getUint32(next - 4)
  }
  let offset = start.data
  if (flags & runHas.offset) {
    offset = start.base + body.getInt32(next)
    next += 4
  }
  const firstFlags = flags & runHas.firstFlags ? read() : undefined
  if (next + count * entryBytes > body.byteLength) throw malformed("A fragment is cut off.")
  for (let index = 0; index < count; index++) {
    const duration = flags & runHas.duration ? read() : usual.duration
    const size = flags & runHas.size ? read() : usual.size
    const own = flags & runHas.flags ? read() : usual.flags
    const delay = flags & runHas.delay ? read() | 0 : 0
    const isSync = (((index === 0 ? firstFlags : undefined) ?? own) & needsOthers) === 0
    list.add({ offset, size, duration, delay, isSync })
    offset += size
  }
  return offset
}

/** Adds the samples of a `moof` at this place of the file to the lists of their tracks. Ignores other tracks. */
export const add = (
  moof: DataView,
  moofAt: number,
  ofMovie: ReadonlyMap<number, Defaults>,
  lists: ReadonlyMap<number, SampleList>
): void => {
  // Without a base, the first track begins at the `moof`, each other one after the bytes of the one before (8.8.7.1).
  let data = moofAt
  for (const { body, type } of Boxes.children(moof)) {
    if (type !== "traf") continue
    const fragment = header(Boxes.get(body, "tfhd"), moofAt, ofMovie)
    const list = lists.get(fragment.id)
    if (list === undefined) continue
    const tfdt = Boxes.find(body, "tfdt")
    if (tfdt !== undefined) list.startAt(Boxes.versionOf(tfdt) === 1 ? Boxes.uint64At(tfdt, 4) : tfdt.getUint32(4))
    const base = fragment.base ?? data
    data = base
    for (const { body: run, type } of Boxes.children(body)) {
      if (type === "trun") data = addRun(run, list, fragment.defaults, { base, data })
    }
  }
}
