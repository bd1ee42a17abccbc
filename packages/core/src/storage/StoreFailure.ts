/**
 * What happens when a store cannot be written any more until it is opened again.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { MetadataError } from "../MetadataError.ts"

/**
 * Called once by a store whose disk failed to sync. Its changes fail from then on, with the code `unavailable`. The service ends
 * its process, so that a supervisor starts it again; a library does nothing by default.
 */
export const StoreFailure = Context.Reference<(error: MetadataError) => Effect.Effect<void>>(
  "@holdfast/core/storage/StoreFailure",
  { defaultValue: () => () => Effect.void }
)
