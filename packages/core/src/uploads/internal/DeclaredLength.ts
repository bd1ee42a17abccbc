/**
 * Checks the length of the whole content that a request declares for an upload.
 */
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../../Errors.ts"
import type { Upload } from "../Upload.ts"

/** Fails unless the upload has no declared length yet, and can have this one. */
export const check = (
  length: number,
  upload: Pick<Upload, "length" | "received">
): Effect.Effect<void, InvalidRequest> => {
  const fail = (detail: string) => Effect.fail(InvalidRequest.at("/length", detail))
  if (!(Number.isSafeInteger(length) && length >= 0)) return fail("must be a whole number of bytes")
  if (upload.length !== null) return fail(`must be absent or ${upload.length}, which the upload has declared before`)
  return length < upload.received
    ? fail(`must be at least ${upload.received}: the upload has so many bytes`)
    : Effect.void
}
