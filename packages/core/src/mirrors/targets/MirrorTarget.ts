/**
 * The port to the target of a mirror: a bucket or container that belongs to a user. Each file is an object under its path and
 * name, so that the copy is useful without Holdfast.
 *
 * The caller guarantees that no two writes or removals of one object run at once. An adapter guarantees what the methods
 * promise, and that it changes no object but those that the caller names.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { MirrorTargetError } from "./MirrorTargetError.ts"
import type { ObjectDescription } from "./ObjectDescription.ts"
import type { ExternalType, Locations } from "./types/TargetTypes.ts"

/** An object to write. */
export interface MirrorObject {
  /** Path and name without a leading slash, in Unicode: `holidays/beach.jpg`. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string
  readonly description: ObjectDescription
  /** The buckets from which mirrors have copied the content before, as in `Trace`. None when absent. */
  readonly formerBucketIds?: ReadonlyArray<string> | undefined
}

/** The version of an object, as the target reports it after a write. */
export interface WriteReceipt {
  /**
   * A text that changes with every change of the object's bytes, and stays the same while the object does not change. It is printable
   * ASCII of at most 256 characters; an object with another tag counts as not copied.
   */
  readonly tag: string
  /**
   * When the object was last changed, in whole seconds since 1970 by the target's clock. Present where the tag does not depend
   * on the description. A receipt may have up to two seconds more, where the exact time would take another request.
   */
  readonly lastModified?: number | undefined
}

/** An object at the target. */
export interface TargetObject extends WriteReceipt {
  readonly name: string
  /** Bytes. */
  readonly size: number
}

/** Whether an object is still the one of a receipt, as far as tag and time show it. */
export const isUnchanged = (receipt: WriteReceipt, object: WriteReceipt): boolean =>
  receipt.tag === object.tag &&
  (receipt.lastModified === undefined ||
    object.lastModified === undefined ||
    object.lastModified <= receipt.lastModified)

export interface MirrorTarget {
  /**
   * Checks that the target exists and that its credentials permit to write, list and remove. It may write the object
   * `TargetCheck.objectName`, and removes it. A check that is cut off leaves the object for the next check to replace and remove.
   */
  readonly check: Effect.Effect<void, MirrorTargetError>

  /**
   * Writes an object, whole or not at all, and replaces an existing one. Memory does not grow with its size. The bytes are
   * verified by a checksum, at the target or on the way to it where the target has none.
   *
   * An error of the stream passes through unchanged, and then nothing has changed. The adapter has to be finished with a chunk
   * before it pulls the next one, because the source reuses the memory.
   */
  readonly write: <E, R>(
    object: MirrorObject,
    content: Stream.Stream<Uint8Array, E, R>
  ) => Effect.Effect<WriteReceipt, MirrorTargetError | E, R>

  /**
   * Replaces the description of an existing object without sending its bytes again. Fails with `NotFound` when there is no such
   * object, or when the target cannot do this; the caller then writes the object.
   */
  readonly describe: (object: MirrorObject) => Effect.Effect<WriteReceipt, MirrorTargetError>

  /**
   * Removes an object. Idempotent: succeeds for a missing one. A bucket of Holdfast keeps an object that is no copy of the `source` for
   * which the target was opened, which succeeds as well: the mirror has no object of this name there.
   */
  readonly remove: (name: string) => Effect.Effect<void, MirrorTargetError>

  /** Finds an object by its name. May find nothing, instead of failing, where the target itself is missing. */
  readonly stat: (name: string) => Effect.Effect<Option.Option<TargetObject>, MirrorTargetError>

  /**
   * Reads the bytes of an object as they are stored, without removing an encoding. Fails with `NotFound` before the first chunk when
   * there is no such object. Never ends early. The caller verifies the bytes.
   */
  readonly read: (name: string) => Stream.Stream<Uint8Array, MirrorTargetError>

  /** Lists all objects at the target, in any order, with the tags and times that `stat` returns. */
  readonly list: Stream.Stream<TargetObject, MirrorTargetError>
}

/**
 * Opens the target at a location; makes no request. Closing the scope releases its resources. `source` is the bucket whose files are
 * copied: a target that may be a bucket of Holdfast gets its id in the `Trace` of each copy.
 */
export type Open<Location> = (
  location: Location,
  source?: Pick<BucketRef, "bucketId">
) => Effect.Effect<MirrorTarget, MirrorTargetError, Scope.Scope>

/** The targets outside of this deployment that it can mirror to, by type. Mirrors of an absent type cannot be created. */
export class MirrorTargets extends Context.Service<
  MirrorTargets,
  {
    readonly open: { readonly [Type in ExternalType]?: Open<Locations[Type]> }
  }
>()("@holdfast/core/mirrors/MirrorTargets") {}

/** No targets outside of this deployment: mirrors lead only to buckets of other tenants. */
export const layerNone: Layer.Layer<MirrorTargets> = Layer.succeed(MirrorTargets, MirrorTargets.of({ open: {} }))
