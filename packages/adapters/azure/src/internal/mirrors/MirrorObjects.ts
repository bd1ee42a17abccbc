/**
 * Finds, lists and removes the objects of a mirror target.
 */
import * as Listing from "@holdfast/core/mirrors/targets/Listing"
import type { TargetObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import * as AzureFailure from "../AzureFailure.ts"
import type * as Connection from "../client/Connection.ts"
import * as BlobListing from "../client/BlobListing.ts"

/** Removes the quotes that entity tags have in headers, and not in listings. */
const toTag = (etag: string | undefined): Effect.Effect<string, AzureFailure.AzureFailure> =>
  etag === undefined || etag === ""
    ? Effect.fail(AzureFailure.unexpected("it returned no entity tag"))
    : Effect.succeed(etag.replaceAll('"', ""))

/** Returns the receipt for a change. */
export const toReceipt = (etag: string | undefined): Effect.Effect<WriteReceipt, AzureFailure.AzureFailure> =>
  Effect.map(toTag(etag), (tag) => ({ tag }))

const toObject = (
  name: string,
  size: number | undefined,
  etag: string | undefined
): Effect.Effect<TargetObject, AzureFailure.AzureFailure> =>
  Effect.map(toTag(etag), (tag) => ({ name, size: size ?? 0, tag }))

const isMissing = ({ kind }: AzureFailure.AzureFailure): boolean => kind === "NoObject"

/** Implements the port's `stat`. */
export const stat = (
  connection: Connection.Connection,
  name: string
): Effect.Effect<Option.Option<TargetObject>, AzureFailure.AzureFailure> =>
  connection
    .call((container, abortSignal) => container.getBlobClient(name).getProperties({ abortSignal }))
    .pipe(
      Effect.flatMap(({ contentLength, etag }) => toObject(name, contentLength, etag)),
      Effect.asSome,
      Effect.catchIf(isMissing, () => Effect.succeedNone)
    )

/** Implements the port's `remove`. Does not remove an object with snapshots, which belong to another program. */
export const remove = (
  connection: Connection.Connection,
  name: string
): Effect.Effect<void, AzureFailure.AzureFailure> =>
  connection
    .call((container, abortSignal) => container.getBlobClient(name).delete({ abortSignal }))
    .pipe(
      Effect.asVoid,
      Effect.catchIf(isMissing, () => Effect.void)
    )

/** Objects per page. One of the longest names has 2 MiB. */
const pageSize = 500

/** Implements the port's `list`. */
export const list = (connection: Connection.Connection): Stream.Stream<TargetObject, AzureFailure.AzureFailure> =>
  Listing.read(
    (token) =>
      Effect.flatMap(BlobListing.page(connection, "", pageSize, token), ({ blobs, next }) =>
        Effect.map(
          Effect.forEach(blobs, ({ etag, name, size }) => toObject(name, size, etag)),
          (objects) => ({ objects, next })
        )
      ),
    AzureFailure.unexpected
  )
