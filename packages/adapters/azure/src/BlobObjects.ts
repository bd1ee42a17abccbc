/**
 * Putting, finding and removing blobs.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import type { BlobInfo, BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as AzureErrors from "./AzureErrors.ts"
import * as AzureFailure from "./AzureFailure.ts"
import type * as Connection from "./Connection.ts"
import * as Upload from "./Upload.ts"

export interface Place {
  readonly connection: Connection.Connection
  readonly prefix: string
}

/** The name of a key's blob; the caller promises that it is a key. */
export const nameOf = ({ prefix }: Place, key: string): Effect.Effect<string, AzureFailure.AzureFailure> =>
  BlobKey.parse(key) === undefined
    ? Effect.fail(AzureFailure.unexpected("not a blob key"))
    : Effect.succeed(prefix + key)

/** What stands under a key. */
export const info = (place: Place, key: string): Effect.Effect<BlobInfo, AzureFailure.AzureFailure> =>
  nameOf(place, key).pipe(
    Effect.flatMap((name) =>
      place.connection.call((container, abortSignal) => container.getBlobClient(name).getProperties({ abortSignal }))
    ),
    Effect.flatMap(({ contentLength }) =>
      contentLength === undefined
        ? Effect.fail(AzureFailure.unexpected("the service did not tell a blob's size"))
        : Effect.succeed({ size: contentLength })
    )
  )

/** As the port's `stat`. */
export const stat = (place: Place, key: string): Effect.Effect<BlobInfo, BlobError.BlobError> =>
  Effect.mapError(info(place, key), AzureErrors.toBlobError("stat"))

const drop = (place: Place, key: string): Effect.Effect<void, AzureFailure.AzureFailure> =>
  nameOf(place, key).pipe(
    Effect.flatMap((name) =>
      place.connection.call((container, abortSignal) =>
        container.getBlobClient(name).delete({ abortSignal, deleteSnapshots: "include" })
      )
    ),
    Effect.asVoid,
    Effect.catchIf(
      ({ meaning }) => meaning === "Missing",
      () => Effect.void
    )
  )

/** As the port's `remove`; a blob's snapshots go with it. */
export const remove = (place: Place, key: string): Effect.Effect<void, BlobError.BlobError> =>
  Effect.mapError(drop(place, key), AzureErrors.toBlobError("remove"))

/** Tidying up after an outcome that stands already: its own failure is logged, not told. */
const tidy = (self: Effect.Effect<void, AzureFailure.AzureFailure>): Effect.Effect<void> =>
  Effect.catch(self, (failure) => Effect.logWarning("The blob store could not tidy up.", failure.message))

/**
 * As the port's `put`. A content that is interrupted when the service has just made it visible is removed again, and so
 * is then what it replaced.
 */
export const put = <E, R>(
  place: Place,
  sizes: Upload.Sizes,
  key: string,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<BlobReceipt, BlobError.BlobError | E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const name = yield* nameOf(place, key)
      const { commit, receipt } = yield* restore(Upload.prepare(place.connection, sizes, { name }, content))
      /** Ends here where the put was interrupted meanwhile. */
      const proceed = restore(Effect.void)
      // Whether the service has taken the last request in cannot be known before it answers, so the answer is
      // waited for, and what stands then is removed if it is not wanted any more.
      yield* proceed
      yield* commit
      yield* Effect.onError(proceed, () => tidy(drop(place, key)))
      return receipt
    }).pipe(
      Effect.scoped,
      Effect.mapError((error) =>
        error instanceof AzureFailure.AzureFailure ? AzureErrors.toBlobError("put")(error) : error
      )
    )
  )
