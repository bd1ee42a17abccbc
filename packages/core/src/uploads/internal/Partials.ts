/**
 * Checks the partial uploads that become one upload.
 */
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../../Errors.ts"
import { maxParts, type StoredUpload } from "../Upload.ts"
import { UploadIncomplete } from "../UploadErrors.ts"

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
