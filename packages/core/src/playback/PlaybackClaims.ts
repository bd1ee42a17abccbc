/**
 * What a playback key says, as bytes; `PlaybackKeys` has the layout.
 */
import * as Result from "effect/Result"
import * as Hex from "effect/encoding/Hex"
import * as Actor from "../Actor.ts"
import type { Format } from "../transcoding/Presentation.ts"

export interface Claims {
  /** Epoch milliseconds, whole seconds of them. */
  readonly expiresAt: number
  readonly fileId: string
  readonly format: Format
  readonly conversionId: string
  readonly parent: Actor.Actor
}

const version = 1
const formats: ReadonlyArray<Format> = ["hls", "dash"]
const headLength = 38
const kinds = { System: 0, Key: 1, Account: 2 } as const satisfies { readonly [kind in Actor.Actor["_tag"]]: number }

/** Only ids that have stood a look-up come here: others are a defect. */
const bytesOf = (hex: string): Uint8Array => Result.getOrThrow(Hex.decode(hex))

const uuidBytes = (id: string): Uint8Array => bytesOf(id.slice(4).replaceAll("-", ""))

const uuidOf = (bytes: Uint8Array): string =>
  Hex.encode(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

const parentBytes = (parent: Actor.Actor): Uint8Array => {
  switch (parent._tag) {
    case "System":
      return new Uint8Array()
    case "Key":
      return bytesOf(parent.hash)
    case "Account":
      return uuidBytes(parent.accountId)
  }
}

export const encode = ({ conversionId, expiresAt, fileId, format, parent }: Claims): Uint8Array => {
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

const parentOf = (kind: number, id: Uint8Array): Actor.Actor | undefined => {
  if (kind === kinds.System && id.length === 0) return Actor.system
  if (kind === kinds.Key && id.length === 32) return Actor.key(Hex.encode(id))
  return kind === kinds.Account && id.length === 16 ? Actor.account(`acc_${uuidOf(id)}`) : undefined
}

/** Undefined for bytes that say nothing. */
export const decode = (bytes: Uint8Array): Claims | undefined => {
  const [first, second = 0] = bytes
  const format = formats[second >> 4]
  const parent = parentOf(second & 15, bytes.subarray(headLength))
  if (first !== version || bytes.length < headLength || format === undefined || parent === undefined) return undefined
  const expiresAt = new DataView(bytes.buffer, bytes.byteOffset).getUint32(2) * 1000
  const fileId = `fil_${uuidOf(bytes.subarray(6, 22))}`
  const conversionId = `cnv_${uuidOf(bytes.subarray(22, headLength))}`
  return { expiresAt, fileId, format, conversionId, parent }
}
