/**
 * The requests that are answered without the router, for a server whose contents are local files.
 */
import * as Effect from "effect/Effect"
import * as DirectReads from "./DirectReads.ts"
import type { FindDirectAnswer } from "./support/DirectAnswer.ts"
import * as DirectUploads from "./uploads/DirectUploads.ts"

/** Makes the function that finds out whether a request may be answered without the router. */
export const make = Effect.zipWith(
  DirectReads.make,
  DirectUploads.make,
  (findRead, findUpload): FindDirectAnswer =>
    (request) =>
      findRead(request) ?? findUpload(request)
)
