/**
 * Lists the blobs of a container.
 */
import type { BlobItem } from "@azure/storage-blob"
import * as Listing from "@holdfast/core/mirrors/targets/Listing"
import { property } from "@holdfast/outbound/Property"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as AzureFailure from "../AzureFailure.ts"
import type * as Connection from "./Connection.ts"

interface Page {
  readonly blobs: ReadonlyArray<BlobItem>
  /** The token of the next page; undefined on the last one. */
  readonly next: string | undefined
}

/** The SDK does not check that what a service sends has the type that it declares. */
const isBlob = (item: unknown): boolean =>
  typeof property(item, "name") === "string" && typeof property(item, "properties") === "object"

/** Lists up to `maxPageSize` blobs whose names begin with the prefix. */
export const page = (
  connection: Connection.Connection,
  prefix: string,
  maxPageSize: number,
  token: string | undefined
): Effect.Effect<Page, AzureFailure.AzureFailure> =>
  connection
    .call((container, abortSignal) =>
      container
        .listBlobsFlat({ prefix, abortSignal })
        .byPage({ maxPageSize, ...(token === undefined ? {} : { continuationToken: token }) })
        .next()
    )
    .pipe(
      Effect.flatMap(({ done, value }) => {
        if (done === true) return Effect.succeed({ blobs: [], next: undefined })
        const { blobItems } = value.segment
        const excess = Listing.findExcess(blobItems.length, maxPageSize)
        if (excess !== undefined) return Effect.fail(AzureFailure.unexpected(excess))
        return blobItems.every(isBlob)
          ? Effect.succeed({ blobs: blobItems, next: value.continuationToken || undefined })
          : Effect.fail(AzureFailure.unexpected("it listed something other than blobs"))
      })
    )

/** Lists every blob whose name begins with the prefix, in pages of up to 1,000. */
export const all = (
  connection: Connection.Connection,
  prefix: string
): Stream.Stream<BlobItem, AzureFailure.AzureFailure> =>
  Stream.paginate<string | undefined, BlobItem, AzureFailure.AzureFailure>(undefined, (token) =>
    Effect.map(page(connection, prefix, 1000, token), ({ blobs, next }) => [blobs, Option.fromNullishOr(next)])
  )

/** Succeeds when the container exists and may be listed. */
export const check = (
  connection: Connection.Connection,
  prefix: string
): Effect.Effect<void, AzureFailure.AzureFailure> => Effect.asVoid(page(connection, prefix, 1, undefined))
