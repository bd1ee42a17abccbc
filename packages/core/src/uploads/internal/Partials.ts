/**
 * Checks the partial uploads that become one upload.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { InvalidRequest, NotFound } from "../../Errors.ts"
import type { MetadataError } from "../../MetadataError.ts"
import { maxParts, type StoredUpload, type UploadPart, type UploadTerms } from "../Upload.ts"
import { UploadIncomplete } from "../UploadErrors.ts"
import type { UploadRepository } from "../UploadRepository.ts"
import * as Completion from "./Completion.ts"

/** The most partial uploads of one upload: each takes a few statements. */
export const maxPartials = 100

/** Fails for a list that no uploads could match. */
export const checkIds = (ids: ReadonlyArray<string>): Effect.Effect<void, InvalidRequest> => {
  if (ids.length === 0 || ids.length > maxPartials) {
    return Effect.fail(InvalidRequest.at("/partials", `must have from 1 to ${maxPartials} items`))
  }
  return new Set(ids).size === ids.length
    ? Effect.void
    : Effect.fail(InvalidRequest.at("/partials", "must have each upload once only"))
}

const check = (
  upload: StoredUpload,
  link: string | undefined
): Effect.Effect<void, InvalidRequest | UploadIncomplete> => {
  const fail = (detail: string) => Effect.fail(InvalidRequest.at("/partials", `${upload.id} ${detail}`))
  if (upload.terms.isPartial !== true) return fail("is not a partial upload")
  if (link !== undefined && upload.terms.link !== link) return fail("belongs to another upload link")
  if (upload.length === null) return fail("has not declared its length")
  return upload.received === upload.length
    ? Effect.void
    : Effect.fail(new UploadIncomplete({ received: upload.received, length: upload.length }))
}

/** Fails unless all of the uploads are partial ones with all of their bytes. Returns the bytes that they have together. */
export const checkAll = Effect.fnUntraced(function* (partials: ReadonlyArray<StoredUpload>, link: string | undefined) {
  yield* Effect.forEach(partials, (upload) => check(upload, link), { discard: true })
  const parts = partials.reduce((sum, { revision }) => sum + revision, 0)
  if (parts > maxParts) {
    const detail = `have ${parts} parts together, and an upload has at most ${maxParts}; send more bytes in each request`
    return yield* InvalidRequest.at("/partials", detail)
  }
  return partials.reduce((sum, { received }) => sum + received, 0)
})

/** Describes partial uploads for the terms of the upload that they become. */
export const describe = (partials: ReadonlyArray<StoredUpload>): UploadTerms["partials"] =>
  partials.map(({ id, received, revision }) => ({ id, parts: revision, bytes: received }))

/**
 * Lists the parts of the partial uploads of an upload, numbered as those of the upload. Fails with `NotFound` when a partial upload is
 * no longer open.
 */
export const listParts = Effect.fnUntraced(function* (
  uploads: UploadRepository["Service"],
  { bucketId, tenantId, terms }: StoredUpload
): Effect.fn.Return<ReadonlyArray<UploadPart>, MetadataError | NotFound> {
  const parts: Array<UploadPart> = []
  let former = 0
  for (const partial of terms.partials ?? []) {
    const found = yield* uploads.find({ tenantId, bucketId, uploadId: partial.id })
    if (Option.isNone(found) || found.value.upload.state !== "OPEN") return yield* new NotFound({ resource: "upload" })
    for (const part of yield* Completion.listAll(uploads, found.value.upload)) {
      parts.push({ ...part, number: part.number + former })
    }
    former += partial.parts
  }
  return parts
})

const textOf = ({ partials: _partials, ...terms }: UploadTerms): string => JSON.stringify(terms)

/** Whether an upload is one of these partial uploads, in this order, on these terms. */
export const isOf = ({ terms }: StoredUpload, ids: ReadonlyArray<string>, wanted: UploadTerms): boolean =>
  terms.partials?.map(({ id }) => id).join() === ids.join() && textOf(terms) === textOf(wanted)
