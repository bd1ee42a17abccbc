/**
 * Finds the boxes of a file that are in no other (ISO/IEC 14496-12, 6.2), and reads those with an index.
 */
import * as Effect from "effect/Effect"
import { limitExceeded, malformed, type PackagingError, unsupported } from "../../PackagingError.ts"
import type { Source } from "../../Source.ts"
import { attempt } from "../Attempt.ts"
import * as Boxes from "./Boxes.ts"
import * as Limits from "./Limits.ts"

/** Bytes that are read at once by default: several small boxes fit, such as a `moof` and the header after it. */
const usualWindow = 64 * 1024

/** Bytes that are read at once where the next box with an index is further away than a window, at least. */
const smallWindow = 4096

interface Window {
  readonly offset: number
  readonly bytes: Uint8Array
}

const noWindow: Window = { offset: 0, bytes: new Uint8Array() }

/** Types of boxes with which files begin. A file that begins with another is not MP4. */
const firstTypes = new Set(["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot", "styp", "sidx", "pdin", "uuid"])

const limits = new Map([
  ["moov", Limits.maxMovieBytes],
  ["moof", Limits.maxFragmentBytes]
])

interface Header {
  readonly type: string
  /** Bytes of the header and of the whole box. */
  readonly head: number
  readonly size: number
}

const toHeader = (bytes: Uint8Array, rest: number): Header => {
  const view = Boxes.toView(bytes)
  const declared = view.getUint32(0)
  const head = declared === 1 ? Boxes.longHeaderBytes : Boxes.headerBytes
  const size = declared === 1 ? Boxes.uint64At(view, Boxes.headerBytes) : declared === 0 ? rest : declared
  if (size < head) throw malformed("A box is smaller than its header.")
  return { type: Boxes.typeAt(view, 4), head, size }
}

/**
 * Calls `visit` for the box `moov`, and for each `moof` after it, with its body and its place in the file. The body of a `moof` is valid
 * until the visit ends. The scan ends when `visit` returns false, and at the end of the file. The last box may be cut off, unless it is one
 * of those. `windowBytes` are read at once, at most.
 */
export const scan = Effect.fnUntraced(function* <E, E2>(
  source: Source<E>,
  visit: (type: string, body: DataView, offset: number) => Effect.Effect<boolean, E2 | PackagingError>,
  windowBytes: number = usualWindow
): Effect.fn.Return<void, E | E2 | PackagingError> {
  let window = noWindow
  let wantedBytes = windowBytes
  /** Memory that is used again, where windows are read for one `moof` each. */
  let memory = new Uint8Array()
  /** Returns bytes of the file, from the window if they are there. */
  const read = (offset: number, length: number): Effect.Effect<Uint8Array, E> => {
    if (offset >= window.offset && offset + length <= window.offset + window.bytes.length) {
      return Effect.succeed(window.bytes.subarray(offset - window.offset, offset - window.offset + length))
    }
    const wanted = Math.min(Math.max(length, wantedBytes), source.size - offset)
    const into = wanted <= memory.length ? memory.subarray(0, wanted) : undefined
    return Effect.map(source.readRange({ offset, length: wanted }, into), (bytes) => {
      window = { offset, bytes }
      return bytes.subarray(0, length)
    })
  }
  let [offset, indexBytes, last] = [0, 0, 0]
  for (let count = 0; offset + Boxes.headerBytes <= source.size; count++) {
    if (count === Limits.maxTopLevelBoxes) return yield* limitExceeded("The file has too many boxes.")
    const rest = source.size - offset
    const start = yield* read(offset, Math.min(Boxes.longHeaderBytes, rest))
    const { head, size, type } = yield* attempt(() => toHeader(start, rest))
    if (count === 0 && !firstTypes.has(type)) return yield* unsupported("The file is neither MP4 nor QuickTime.")
    const limit = limits.get(type)
    if (limit !== undefined) {
      if (size > rest) return yield* malformed("The file is cut off.")
      indexBytes += size
      if (size > limit || indexBytes > Limits.maxIndexBytes)
        return yield* limitExceeded("An index of the file is too large.")
      const body = Boxes.toView(yield* read(offset + head, size - head))
      if (!(yield* visit(type, body, offset))) return
      // Fragments of seconds are far apart: most of a larger window would be samples. The tracks keep parts of `moov`, which is before them.
      const isFar = type === "moof" && offset - last > windowBytes
      wantedBytes = isFar ? Math.min(windowBytes, Math.max(smallWindow, 2 * size)) : windowBytes
      if (isFar && memory.length === 0) memory = new Uint8Array(windowBytes)
      last = offset
    }
    offset += size
  }
})
