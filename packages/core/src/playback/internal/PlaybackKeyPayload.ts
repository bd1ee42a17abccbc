/**
 * The payload of a playback key as bytes. `PlaybackKeys` documents the layout.
 */
import type { Actor } from "../../Actor.ts"
import { parentBytes, parentKind, toParent, toUuid, uuidBytes } from "../../secrets/internal/GrantBytes.ts"
import type { Format } from "../../transcoding/Presentation.ts"

export interface PlaybackKeyPayload {
  /** Epoch milliseconds, a multiple of 1000. */
  readonly expiresAt: number
  readonly fileId: string
  readonly format: Format
  readonly conversionId: string
  readonly parent: Actor
}

const version = 1
const formats: ReadonlyArray<Format> = ["hls", "dash"]

/** Bytes before the id of the parent. */
export const headLength = 38
/** Bytes of the longest payload. */
export const maxLength = headLength + 32

/** Encodes a payload. */
export const encode = ({ conversionId, expiresAt, fileId, format, parent }: PlaybackKeyPayload): Uint8Array => {
  const id = parentBytes(parent)
  const bytes = new Uint8Array(headLength + id.length)
  bytes[0] = version
  bytes[1] = (formats.indexOf(format) << 4) | parentKind(parent)
  new DataView(bytes.buffer).setUint32(2, expiresAt / 1000)
  bytes.set(uuidBytes(fileId), 6)
  bytes.set(uuidBytes(conversionId), 22)
  bytes.set(id, headLength)
  return bytes
}

/** Decodes a payload; undefined for bytes that are none. */
export const decode = (bytes: Uint8Array): PlaybackKeyPayload | undefined => {
  const [first, second = 0] = bytes
  const format = formats[second >> 4]
  const parent = toParent(second & 15, bytes.subarray(headLength))
  if (first !== version || bytes.length < headLength || format === undefined || parent === undefined) return undefined
  const expiresAt = new DataView(bytes.buffer, bytes.byteOffset).getUint32(2) * 1000
  const fileId = `fil_${toUuid(bytes.subarray(6, 22))}`
  const conversionId = `cnv_${toUuid(bytes.subarray(22, headLength))}`
  return { expiresAt, fileId, format, conversionId, parent }
}
