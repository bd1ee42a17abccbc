/**
 * Checks the parts of an upload that is completed, and describes the content that they make.
 */
import { type Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../../Errors.ts"
import { etagOf } from "../../files/File.ts"
import type { MetadataError } from "../../MetadataError.ts"
import { maxParts, type StoredUpload, type UploadPart } from "../Upload.ts"
import { UploadIncomplete } from "../UploadErrors.ts"
import type { UploadRepository } from "../UploadRepository.ts"

/** A part as the completion of an upload names it. */
export interface ListedPart {
  readonly number: number
  /** The tag that the part must have. */
  readonly tag?: string | undefined
  /** The SHA-256 that the part must have, hexadecimal. */
  readonly sha256?: string | undefined
}

/** Parts that one statement lists. */
const pageSize = 1000

/** Lists all parts of an upload. */
export const listAll = Effect.fnUntraced(function* (
  uploads: UploadRepository["Service"],
  { blobId }: StoredUpload
): Effect.fn.Return<ReadonlyArray<UploadPart>, MetadataError> {
  const parts: Array<UploadPart> = []
  while (true) {
    const page = yield* uploads.listParts({ blobId, after: parts.at(-1)?.number, limit: pageSize })
    parts.push(...page)
    if (page.length < pageSize) return parts
  }
})

const findFault = (
  listed: ListedPart,
  found: UploadPart | undefined,
  former: ListedPart | undefined
): string | undefined => {
  if (former !== undefined && former.number >= listed.number)
    return "list the parts in ascending order of their numbers"
  if (found === undefined) return `the upload has no part ${listed.number}; upload it first`
  if (listed.tag !== undefined && listed.tag !== found.tag)
    return "the stored part has another tag; list the stored one"
  if (listed.sha256 !== undefined && listed.sha256 !== found.sha256) return "the stored part has another SHA-256"
  return undefined
}

/**
 * Returns the parts that a completion lists, or all where it lists none. Fails with `InvalidRequest` that names the first listed part
 * that is not stored, differs, is out of order, or is smaller than `minPartBytes` and not the last one.
 */
export const select = (
  stored: ReadonlyArray<UploadPart>,
  listed: ReadonlyArray<ListedPart> | undefined,
  minPartBytes: number
): Effect.Effect<ReadonlyArray<UploadPart>, InvalidRequest> => {
  const byNumber = new Map(stored.map((part) => [part.number, part]))
  const wanted: ReadonlyArray<ListedPart> = listed ?? stored.map(({ number }) => ({ number }))
  if (wanted.length > maxParts) return Effect.fail(InvalidRequest.at("/parts", `must have at most ${maxParts} items`))
  const selected: Array<UploadPart> = []
  for (const [index, item] of wanted.entries()) {
    const part = byNumber.get(item.number)
    const fault = findFault(item, part, wanted[index - 1])
    if (fault !== undefined) return Effect.fail(InvalidRequest.at(`/parts/${index}`, fault))
    if (part === undefined) continue
    if (part.size < minPartBytes && index < wanted.length - 1) {
      const detail = `must have at least ${minPartBytes} bytes, as each part but the last one`
      return Effect.fail(InvalidRequest.at(`/parts/${index}`, detail))
    }
    selected.push(part)
  }
  return Effect.succeed(selected)
}

/** Fails unless the parts have the declared length, if one is declared. Returns their length. */
export const checkLength = (
  { length }: StoredUpload,
  parts: ReadonlyArray<UploadPart>
): Effect.Effect<number, UploadIncomplete | InvalidRequest> => {
  const received = parts.reduce((sum, { size }) => sum + size, 0)
  if (length === null || received === length) return Effect.succeed(received)
  return received < length
    ? Effect.fail(new UploadIncomplete({ received, length }))
    : Effect.fail(InvalidRequest.at("/parts", `have ${received} bytes, but the declared length is ${length}`))
}

/**
 * Returns the parts that have bytes; of an empty content the first part. In a composite content, exactly one part begins at each
 * `start`: reads find the parts by it.
 */
export const withoutEmpty = (parts: ReadonlyArray<UploadPart>): ReadonlyArray<UploadPart> => {
  const withBytes = parts.filter(({ size }) => size > 0)
  return withBytes.length > 0 ? withBytes : parts.slice(0, 1)
}

/** Returns the entity tag of a content of these parts: their digests determine it, and a plain content never has such a one. */
export const entityTag = (digest: Digest["Service"], parts: ReadonlyArray<UploadPart>): Effect.Effect<string> => {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return Effect.succeed(etagOf(only.sha256))
  const bytes = new TextEncoder().encode(parts.map((part) => part.sha256).join(""))
  return Effect.map(Effect.orDie(digest.digest(sha256, bytes)), (hash) => {
    const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("")
    return `"${hex}-${parts.length}"`
  })
}
