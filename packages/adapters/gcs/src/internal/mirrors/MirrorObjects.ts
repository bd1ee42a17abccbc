/**
 * Finds and lists the objects of a mirror target.
 */
import * as Listing from "@holdfast/core/mirrors/targets/Listing"
import type { TargetObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { Response } from "@holdfast/core/storage/RemoteBlobStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type * as Connection from "../client/Connection.ts"
import * as Objects from "../client/Objects.ts"
import type * as Resource from "../client/Resource.ts"
import * as GcsFailure from "../GcsFailure.ts"

/** The generation changes with the bytes, the metageneration with the description. */
const toObject = ({ generation, metageneration, name, size }: Resource.Stored): TargetObject => ({
  name,
  size,
  tag: `${generation}.${metageneration}`
})

/** Returns the receipt for a change. */
export const toReceipt = (stored: Resource.Stored): WriteReceipt => ({ tag: toObject(stored).tag })

/** Implements the port's `stat`. */
export const stat = (
  connection: Connection.Connection,
  name: string
): Effect.Effect<Option.Option<TargetObject>, GcsFailure.GcsFailure> =>
  Objects.get(connection, name).pipe(
    Effect.map((stored) => Option.some(toObject(stored))),
    Effect.catchIf(
      ({ kind }) => kind === "NoObject",
      () => Effect.succeedNone
    )
  )

/** Objects per page: parsed in some milliseconds. */
const pageSize = 100

/** Implements the port's `list`. */
export const list = (connection: Connection.Connection): Stream.Stream<TargetObject, GcsFailure.GcsFailure> =>
  Listing.read(
    (token) =>
      Effect.map(Objects.page(connection, "", token, pageSize), ({ next, objects }) => ({
        objects: objects.map(toObject),
        next
      })),
    GcsFailure.unexpected
  )

/** Requests the bytes of an object as they are stored. The response has the bytes of one generation. */
export const open = (
  connection: Connection.Connection,
  name: string
): Effect.Effect<Response, GcsFailure.GcsFailure, Scope.Scope> =>
  Effect.map(Objects.openMedia(connection, name, undefined, "gzip"), Objects.toResponse)
