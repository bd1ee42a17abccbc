/**
 * Lists the blobs of a container.
 */
import * as Listing from "@holdfast/core/mirrors/targets/Listing"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as AzureFailure from "../AzureFailure.ts"
import type * as Connection from "./Connection.ts"
import type { ListedBlob, Page } from "./ParseListing.ts"

/** Lists up to `maxPageSize` blobs whose names begin with the prefix. */
export const page = (
  connection: Connection.Connection,
  prefix: string,
  maxPageSize: number,
  token: string | undefined
): Effect.Effect<Page, AzureFailure.AzureFailure> =>
  Effect.flatMap(connection.list({ prefix, maxPageSize, token }), (found) => {
    const excess = Listing.findExcess(found.blobs.length, maxPageSize)
    return excess === undefined ? Effect.succeed(found) : Effect.fail(AzureFailure.unexpected(excess))
  })

/** Lists every blob whose name begins with the prefix, in pages of up to 1,000. */
export const all = (
  connection: Connection.Connection,
  prefix: string
): Stream.Stream<ListedBlob, AzureFailure.AzureFailure> =>
  Stream.paginate<string | undefined, ListedBlob, AzureFailure.AzureFailure>(undefined, (token) =>
    Effect.map(page(connection, prefix, 1000, token), ({ blobs, next }) => [blobs, Option.fromUndefinedOr(next)])
  )

/** Succeeds when the container exists and may be listed. */
export const check = (
  connection: Connection.Connection,
  prefix: string
): Effect.Effect<void, AzureFailure.AzureFailure> => Effect.asVoid(page(connection, prefix, 1, undefined))
