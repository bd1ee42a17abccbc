/**
 * The `201` response to a request that created a record.
 */
import * as Effect from "effect/Effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { publicApiPath } from "./PublicAddress.ts"

/**
 * Returns the path of a record.
 *
 * @param segments The path below the API's base path, not yet percent-encoded.
 */
export const locationOf = (segments: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.map(publicApiPath, (path) => [path, ...segments.map(encodeURIComponent)].join("/"))

/**
 * The record with its `Location` header.
 *
 * @param segments The record's path below the API's base path, not yet percent-encoded.
 */
export const withLocation = <A>(
  record: A,
  ...segments: ReadonlyArray<string>
): Effect.Effect<HttpApiSchema.withHeaders<A, { readonly location: string }>> =>
  Effect.map(locationOf(segments), (location) => HttpApiSchema.withHeaders({ body: record, headers: { location } }))
