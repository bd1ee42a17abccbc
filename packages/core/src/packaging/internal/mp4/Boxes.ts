/**
 * The boxes of an MP4 or QuickTime file (ISO/IEC 14496-12, 4.2).
 *
 * These modules parse bytes that an attacker may have chosen. A count from the file is compared with the bytes that are there, or
 * with a limit, before memory is allocated for it. `DataView` throws a `RangeError` for a read past its end, and the functions throw a
 * `PackagingError`; `attempt` makes failures of both.
 */
import { limitExceeded, malformed } from "../../PackagingError.ts"
import * as Limits from "./Limits.ts"

export interface Box {
  readonly type: string
  /** The bytes after type and size. */
  readonly body: DataView
}

/** Bytes of a box's size and type; with a size of 64 bits, twice as many. */
export const headerBytes = 8
export const longHeaderBytes = 16

export const toView = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export const toBytes = (view: DataView, start = 0, end = view.byteLength): Uint8Array =>
  new Uint8Array(view.buffer, view.byteOffset, view.byteLength).subarray(start, end)

export const typeAt = (view: DataView, at: number): string =>
  String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3))

/** Reads an integer of 64 bits. Those of files are exact in a double. */
export const uint64At = (view: DataView, at: number): number => {
  const value = view.getUint32(at) * 0x1_0000_0000 + view.getUint32(at + 4)
  if (!Number.isSafeInteger(value)) throw malformed("A number is too large.")
  return value
}

/** Returns the version and the flags of a full box (4.2.2), the first four bytes of its body. */
export const versionOf = (body: DataView): number => body.getUint8(0)
export const flagsOf = (body: DataView): number => body.getUint32(0) & 0xffffff

/** Yields the boxes in the body of another. Up to 7 bytes may follow them: QuickTime ends some lists with four. */
export function* children(body: DataView, from = 0): Generator<Box> {
  let count = 0
  for (let at = from; at + headerBytes <= body.byteLength;) {
    if (++count > Limits.maxChildren) throw limitExceeded("A box of the file contains too many others.")
    const declared = body.getUint32(at)
    const head = declared === 1 ? longHeaderBytes : headerBytes
    const size = declared === 1 ? uint64At(body, at + headerBytes) : declared === 0 ? body.byteLength - at : declared
    if (size < head || at + size > body.byteLength) throw malformed("A box is larger than the one around it.")
    yield { type: typeAt(body, at + 4), body: new DataView(body.buffer, body.byteOffset + at + head, size - head) }
    at += size
  }
}

/** Returns the body of the first child of a type. */
export const find = (body: DataView, type: string): DataView | undefined => {
  for (const box of children(body)) if (box.type === type) return box.body
  return undefined
}

export const get = (body: DataView, type: string): DataView => {
  const found = find(body, type)
  if (found === undefined) throw malformed(`A box "${type}" is missing.`)
  return found
}
