/**
 * The payload of the key in an upload link as bytes. `UploadLinks` documents the layout.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Actor } from "../../../Actor.ts"
import { parentBytes, parentKind, parentLength, toParent } from "../../../secrets/internal/GrantBytes.ts"
import { OnConflict } from "../../NewFile.ts"
import { maxContentTypes, maxRedirectLength, type UploadTerms } from "../UploadLink.ts"

export interface UploadPayload {
  /** Epoch milliseconds, a multiple of 1000. */
  readonly expiresAt: number
  readonly parent: Actor
  readonly terms: UploadTerms
}

const layout = 1
const conflicts = OnConflict.literals

/** Bytes before the id of the parent. */
export const headLength = 14
/** Bytes of the longest payload: a key as parent, and the longest texts, in which JSON escapes every character. */
export const maxLength = headLength + 32 + 2 * (1024 + 255) + maxContentTypes * (255 + 3) + maxRedirectLength + 20

const Texts = Schema.fromJsonString(
  Schema.Tuple([
    Schema.String,
    Schema.NullOr(Schema.String),
    Schema.NullOr(Schema.Array(Schema.String)),
    Schema.optionalKey(Schema.String)
  ])
)
const decodeTexts = Schema.decodeUnknownOption(Texts)
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Encodes a payload. */
export const encode = ({ expiresAt, parent, terms }: UploadPayload): Uint8Array => {
  const { contentTypes, maxBytes, name, onConflict, path, redirectTo } = terms
  const id = parentBytes(parent)
  const texts = encoder.encode(JSON.stringify([path, name, contentTypes, ...(redirectTo === null ? [] : [redirectTo])]))
  const bytes = new Uint8Array(headLength + id.length + texts.length)
  const view = new DataView(bytes.buffer)
  bytes[0] = layout
  bytes[1] = (conflicts.indexOf(onConflict) << 4) | parentKind(parent)
  view.setUint32(2, expiresAt / 1000)
  view.setBigUint64(6, BigInt(maxBytes))
  bytes.set(id, headLength)
  bytes.set(texts, headLength + id.length)
  return bytes
}

/** Decodes a payload; undefined for bytes that are none. */
export const decode = (bytes: Uint8Array): UploadPayload | undefined => {
  const [first, second = 0] = bytes
  const onConflict = conflicts[second >> 4]
  const kind = second & 15
  const end = headLength + (parentLength(kind) ?? 0)
  const parent = toParent(kind, bytes.subarray(headLength, end))
  const texts = decodeTexts(decoder.decode(bytes.subarray(end)))
  if (first !== layout || onConflict === undefined || parent === undefined || Option.isNone(texts)) return undefined
  const [path, name, contentTypes, redirectTo = null] = texts.value
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const maxBytes = Number(view.getBigUint64(6))
  return {
    expiresAt: view.getUint32(2) * 1000,
    parent,
    terms: { path, name, maxBytes, contentTypes, onConflict, redirectTo }
  }
}
