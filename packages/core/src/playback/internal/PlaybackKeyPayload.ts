/**
 * The payload of a playback key as bytes. `PlaybackKeys` documents the layout.
 */
import * as Result from "effect/Result"
import * as Hex from "effect/encoding/Hex"
import * as Actor from "../../Actor.ts"
import type { Format } from "../../transcoding/Presentation.ts"

export interface PlaybackKeyPayload {
  /** Epoch milliseconds, a multiple of 1000. */
  readonly expiresAt: number
  readonly fileId: string
  readonly format: Format
  readonly conversionId: string
  readonly parent: Actor.Actor
}

const version = 1
const formats: ReadonlyArray<Format> = ["hls", "dash"]
/** Bytes before the id of the parent. */
const headLength = 38
const kinds = { System: 0, Key: 1, Account: 2 } as const satisfies { readonly [kind in Actor.Actor["_tag"]]: number }

/** Decodes hexadecimal. The ids come from successful lookups, so that a malformed one is a defect. */
const hexBytes = (hex: string): Uint8Array => Result.getOrThrow(Hex.decode(hex))

const uuidBytes = (id: string): Uint8Array => hexBytes(id.slice(4).replaceAll("-", ""))

const toUuid = (bytes: Uint8Array): string =>
  Hex.encode(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

const parentBytes = (parent: Actor.Actor): Uint8Array => {
  switch (parent._tag) {
    case "System":
      return new Uint8Array()
    case "Key":
      return hexBytes(parent.hash)
    case "Account":
      return uuidBytes(parent.accountId)
  }
}

/** Encodes a payload. */
export const encode = ({ conversionId, expiresAt, fileId, format, parent }: PlaybackKeyPayload): Uint8Array => {
  const id = parentBytes(parent)
  const bytes = new Uint8Array(headLength + id.length)
  bytes[0] = version
  bytes[1] = (formats.indexOf(format) << 4) | kinds[parent._tag]
  new DataView(bytes.buffer).setUint32(2, expiresAt / 1000)
  bytes.set(uuidBytes(fileId), 6)
  bytes.set(uuidBytes(conversionId), 22)
  bytes.set(id, headLength)
  return bytes
}

const toParent = (kind: number, id: Uint8Array): Actor.Actor | undefined => {
  if (kind === kinds.System && id.length === 0) return Actor.system
  if (kind === kinds.Key && id.length === 32) return Actor.key(Hex.encode(id))
  return kind === kinds.Account && id.length === 16 ? Actor.account(`acc_${toUuid(id)}`) : undefined
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
