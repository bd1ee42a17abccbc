/**
 * The payload of the key in a link as bytes. `Links` documents the layout.
 */
import type { Actor } from "../../../Actor.ts"
import {
  parentBytes,
  parentKind,
  parentLength,
  toParent,
  toUuid,
  uuidBytes
} from "../../../secrets/internal/GrantBytes.ts"
import type { LinkAction } from "../Link.ts"

export interface LinkPayload {
  readonly action: LinkAction
  /** Epoch milliseconds, a multiple of 1000. */
  readonly expiresAt: number
  readonly fileId: string
  /** Null for any version. */
  readonly version: number | null
  readonly parent: Actor
  /** Null for the name of the file. */
  readonly name: string | null
}

const layout = 1
const actions: ReadonlyArray<LinkAction> = ["view", "download"]

/** Bytes before the id of the parent. */
export const headLength = 26
/** Bytes of the longest payload: a key as parent, and the longest file name. */
export const maxLength = headLength + 32 + 255

const encoder = new TextEncoder()
const nothing = new Uint8Array()
const decoder = new TextDecoder()

/** Encodes a payload. */
export const encode = ({ action, expiresAt, fileId, name, parent, version }: LinkPayload): Uint8Array => {
  const id = parentBytes(parent)
  const text = name === null ? nothing : encoder.encode(name)
  const bytes = new Uint8Array(headLength + id.length + text.length)
  const view = new DataView(bytes.buffer)
  bytes[0] = layout
  bytes[1] = (actions.indexOf(action) << 4) | parentKind(parent)
  view.setUint32(2, expiresAt / 1000)
  bytes.set(uuidBytes(fileId), 6)
  view.setUint32(22, version ?? 0)
  bytes.set(id, headLength)
  bytes.set(text, headLength + id.length)
  return bytes
}

/** Decodes a payload; undefined for bytes that are none. */
export const decode = (bytes: Uint8Array): LinkPayload | undefined => {
  const [first, second = 0] = bytes
  const action = actions[second >> 4]
  const kind = second & 15
  const end = headLength + (parentLength(kind) ?? 0)
  const parent = toParent(kind, bytes.subarray(headLength, end))
  if (first !== layout || action === undefined || parent === undefined) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return {
    action,
    expiresAt: view.getUint32(2) * 1000,
    fileId: `fil_${toUuid(bytes.subarray(6, 22))}`,
    version: view.getUint32(22) || null,
    parent,
    name: bytes.length === end ? null : decoder.decode(bytes.subarray(end))
  }
}
