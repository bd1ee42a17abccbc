/**
 * Who may look at one stream: an actor with the permission, or the holder of a playback key for it.
 */
import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Access, AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { type NotFound, Unauthenticated } from "../Errors.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { FileRef } from "../files/FileRef.ts"
import type { Format } from "../transcoding/Presentation.ts"

/** One stream of a file: what one conversion of one of its contents made. */
export interface StreamRef extends BucketRef {
  readonly fileId: string
  readonly format: Format
  readonly conversionId: string
}

/**
 * The holder of a playback key that has been verified: whoever it was made for, reduced to reading one stream. It is worth
 * something only as long as that one may read the file.
 */
export class Playback extends Data.TaggedClass("Playback")<{
  readonly stream: StreamRef
  readonly parent: Actor
  readonly key: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
}> {}

export type Viewer = Actor | Playback

/** A key that does not belong here is none: the same as for one that was never made. */
const refused = Effect.fail(new Unauthenticated())

const isFor = ({ stream }: Playback, ref: FileRef, format: Format | undefined): boolean =>
  stream.tenantId === ref.tenantId &&
  stream.bucketId === ref.bucketId &&
  (ref.fileId.startsWith("@") || stream.fileId === ref.fileId) &&
  (format === undefined || stream.format === format)

/** Lets a viewer through to a file, or to one format of it. */
const admit = (
  access: Access["Service"],
  viewer: Viewer,
  ref: FileRef,
  format: Format | undefined
): Effect.Effect<unknown, AccessError> => {
  if (viewer._tag !== "Playback") return access.require(viewer, ref.tenantId, "file:read")
  return isFor(viewer, ref, format) ? access.require(viewer.parent, ref.tenantId, "file:read") : refused
}

/**
 * Looks something of a file up for a viewer who may see it. Which file an alias names is known afterwards only: the holder
 * of a playback key learns nothing of other files, not even whether they are there.
 */
export const view = <A extends { readonly fileId: string }, E extends { readonly _tag: string }>(
  access: Access["Service"],
  viewer: Viewer,
  ref: FileRef,
  format: Format | undefined,
  look: Effect.Effect<A, E | NotFound>
): Effect.Effect<A, E | NotFound | AccessError> => {
  const found = Effect.flatMap(admit(access, viewer, ref, format), () => look)
  if (viewer._tag !== "Playback" || !ref.fileId.startsWith("@")) return found
  return found.pipe(
    Effect.catchTag("NotFound", () => refused),
    Effect.filterOrElse(
      ({ fileId }) => fileId === viewer.stream.fileId,
      () => refused
    )
  )
}

/** Whether a viewer may see this conversion: the holder of a playback key none but the one that it was made for. */
export const sees = (viewer: Viewer, conversionId: string): boolean =>
  viewer._tag !== "Playback" || viewer.stream.conversionId === conversionId
