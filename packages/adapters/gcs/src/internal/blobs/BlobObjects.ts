/**
 * The requests of a store for objects of its bucket.
 */
import type { ByteRange } from "@holdfast/core/storage/BlobStore"
import type { ListedObject, Response } from "@holdfast/core/storage/RemoteBlobStore"
import * as RemoteBody from "@holdfast/core/storage/RemoteBody"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Connection from "../client/Connection.ts"
import * as Objects from "../client/Objects.ts"
import * as GcsFailure from "../GcsFailure.ts"

/** Requests the bytes of an object. The response has the bytes of one generation. */
export const open = (
  connection: Connection.Connection,
  name: string,
  range: ByteRange | undefined
): Effect.Effect<Response, GcsFailure.GcsFailure, Scope.Scope> =>
  Effect.flatMap(
    Objects.openMedia(connection, name, range === undefined ? undefined : RemoteBody.rangeHeader(range)),
    (response) =>
      response.headers["content-encoding"] === undefined
        ? Effect.succeed(Objects.toResponse(response))
        : Effect.fail(GcsFailure.unexpected("it sent an encoded body"))
  )

/** Lists every object whose name begins with the prefix, in pages of up to 1,000. */
export const list = (
  connection: Connection.Connection,
  prefix: string
): Stream.Stream<ListedObject, GcsFailure.GcsFailure> =>
  Stream.paginate<string | undefined, ListedObject, GcsFailure.GcsFailure>(undefined, (token) =>
    Effect.map(Objects.page(connection, prefix, token), ({ next, objects }) => [objects, Option.fromNullishOr(next)])
  )

/** Succeeds when the bucket may be listed. A request for the bucket itself would need another permission. */
export const check = (connection: Connection.Connection, prefix: string): Effect.Effect<void, GcsFailure.GcsFailure> =>
  Effect.asVoid(Objects.page(connection, prefix, undefined, 1))
