/**
 * Writes boxes (ISO/IEC 14496-12, 4.2).
 */
import { concat } from "../../../storage/ByteChunks.ts"

export const uint8 = (...values: ReadonlyArray<number>): Uint8Array => Uint8Array.from(values)

export const uint16 = (...values: ReadonlyArray<number>): Uint8Array => {
  const view = new DataView(new ArrayBuffer(2 * values.length))
  for (const [index, value] of values.entries()) view.setUint16(2 * index, value)
  return new Uint8Array(view.buffer)
}

/** Negative numbers become their two's complement. */
export const uint32 = (...values: ReadonlyArray<number>): Uint8Array => {
  const bytes = new Uint8Array(4 * values.length)
  let at = 0
  for (const value of values) {
    bytes[at++] = value >>> 24
    bytes[at++] = value >>> 16
    bytes[at++] = value >>> 8
    bytes[at++] = value
  }
  return bytes
}

export const uint64 = (value: number): Uint8Array => uint32(Math.floor(value / 2 ** 32), value % 2 ** 32)

export const text = (value: string): Uint8Array => {
  const bytes = new Uint8Array(value.length)
  for (let index = 0; index < value.length; index++) bytes[index] = value.charCodeAt(index)
  return bytes
}

export const zeros = (count: number): Uint8Array => new Uint8Array(count)

export const box = (type: string, ...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const body = concat(parts)
  return concat([uint32(8 + body.length), text(type), body])
}

/** Writes a box with a version and flags. */
export const fullBox = (
  type: string,
  [version, flags]: readonly [version: number, flags: number],
  ...parts: ReadonlyArray<Uint8Array>
): Uint8Array => box(type, uint32(version * 2 ** 24 + flags), ...parts)
