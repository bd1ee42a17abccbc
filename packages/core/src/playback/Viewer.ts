/**
 * Viewers: readers of a stream. A viewer is an actor with the permission, or the holder of a playback key or a share.
 */
import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Access, AccessError, Identity } from "../access/Access.ts"
import type { Anonymous } from "../access/Anonymous.ts"
import type { Actor } from "../Actor.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { type NotFound, Unauthenticated } from "../Errors.ts"
import type { FileRef } from "../files/FileRef.ts"
import { permitsFile, type ShareGrant } from "../files/shares/Share.ts"
import type { Format } from "../transcoding/Presentation.ts"

/** One stream of a file: the output of one conversion of one of its contents. */
export interface StreamRef extends BucketRef {
  readonly fileId: string
  readonly format: Format
  readonly conversionId: string
}

/**
 * A verified playback key. Its holder reads one stream with the permissions of `parent`, the actor for whom the key was
 * issued, and only while `parent` may read the file.
 */
export class PlaybackGrant extends Data.TaggedClass("PlaybackGrant")<{
  readonly stream: StreamRef
  readonly parent: Actor
  readonly key: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
}> {}

/** A viewer with a key. */
export type KeyedViewer = Actor | PlaybackGrant | ShareGrant

/** A reader of a stream; without a key, of one in a public bucket. */
export type Viewer = KeyedViewer | Anonymous

/** A key for another stream is answered like a key that was never issued. */
const unauthenticated = Effect.fail(new Unauthenticated())

const isFor = ({ stream }: PlaybackGrant, ref: FileRef, format: Format | undefined): boolean =>
  stream.tenantId === ref.tenantId &&
  stream.bucketId === ref.bucketId &&
  (ref.fileId.startsWith("@") || stream.fileId === ref.fileId) &&
  (format === undefined || stream.format === format)

/** Succeeds with the identity on whose behalf a viewer reads, if it may read a file, or one format of it. A file that is named by alias is checked later. */
const authorize = (
  access: Access["Service"],
  viewer: Viewer,
  ref: FileRef,
  format: Format | undefined
): Effect.Effect<Identity | "anonymous", AccessError | NotFound> => {
  if (viewer._tag === "Anonymous") return access.requirePublic(ref)
  if (viewer._tag !== "PlaybackGrant" && viewer._tag !== "ShareGrant") return access.require(viewer, ref, "file:read")
  const permitted = viewer._tag === "PlaybackGrant" ? isFor(viewer, ref, format) : permitsFile(viewer, ref, "play")
  return permitted ? access.require(viewer.parent, ref, "file:read") : unauthenticated
}

/**
 * Runs the lookup of something of a file if the viewer may see it. Only the result says which file an alias names: the holder
 * of a playback key gets the same error for another file and for a missing one.
 */
export const findForViewer = <A extends { readonly fileId: string }, E extends { readonly _tag: string }>(
  access: Access["Service"],
  viewer: Viewer,
  ref: FileRef,
  format: Format | undefined,
  lookup: (identity: Identity | "anonymous") => Effect.Effect<A, E | NotFound>
): Effect.Effect<A, E | NotFound | AccessError> => {
  const found = Effect.flatMap(authorize(access, viewer, ref, format), lookup)
  if (viewer._tag !== "PlaybackGrant" || !ref.fileId.startsWith("@")) return found
  return found.pipe(
    Effect.catchTag("NotFound", () => unauthenticated),
    Effect.filterOrElse(
      ({ fileId }) => fileId === viewer.stream.fileId,
      () => unauthenticated
    )
  )
}

/** Whether a viewer may see a conversion. The holder of a playback key may see only the conversion of that key. */
export const canSee = (viewer: Viewer, conversionId: string): boolean =>
  viewer._tag !== "PlaybackGrant" || viewer.stream.conversionId === conversionId
