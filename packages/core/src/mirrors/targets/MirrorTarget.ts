/**
 * The port to the other end of a mirror: somebody else's bucket or container, where each file stands under its path and
 * name, so that the copy is useful without Holdfast.
 *
 * The caller guarantees that no two writes or removals of one object run at once. An adapter guarantees what the methods say,
 * and that it changes no object but those it is told to.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { MirrorTargetError } from "./MirrorTargetError.ts"
import type { ObjectDescription } from "./ObjectDescription.ts"
import type { ExternalType, Locations } from "./types/TargetTypes.ts"

/** An object as it should stand at the target. */
export interface MirrorObject {
  /** Path and name without a leading slash, in Unicode: `holidays/beach.jpg`. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string
  readonly description: ObjectDescription
}

/** What the target says of an object that was written. */
export interface WriteReceipt {
  /** A text that changes when anybody changes the object's bytes, and stays while nobody changes the object. */
  readonly tag: string
  /**
   * Where the tag tells nothing of the description: when the object was last changed, in whole seconds since 1970 by the
   * target's clock. A receipt may tell up to two seconds more, where finding out would take another request.
   */
  readonly lastModified?: number | undefined
}

/** An object that stands at the target. */
export interface TargetObject extends WriteReceipt {
  readonly name: string
  /** Bytes. */
  readonly size: number
}

/** Whether an object is still what a receipt was given for, as far as the target can tell. */
export const isUnchanged = (receipt: WriteReceipt, object: WriteReceipt): boolean =>
  receipt.tag === object.tag &&
  (receipt.lastModified === undefined ||
    object.lastModified === undefined ||
    object.lastModified <= receipt.lastModified)

export interface MirrorTarget {
  /**
   * Checks that the target exists and that its credentials permit to write, list and remove. It may write the object
   * `TargetCheck.objectName`, and removes it; a check that is cut off leaves it for the next one to replace and remove.
   */
  readonly check: Effect.Effect<void, MirrorTargetError>

  /**
   * Writes an object, whole or not at all, in place of one that stands. Memory does not grow with its size. The bytes are
   * verified at the target, or on their way to it, by a checksum where it has one.
   * The stream's own error passes through unchanged, and then nothing has changed. A chunk has to be done with before the
   * next one is pulled: its memory is used again.
   */
  readonly write: <E, R>(
    object: MirrorObject,
    content: Stream.Stream<Uint8Array, E, R>
  ) => Effect.Effect<WriteReceipt, MirrorTargetError | E, R>

  /**
   * Gives an object that stands another description, without its bytes being sent again. `NotFound` when there is none, or when
   * that cannot be done: then it is written anew.
   */
  readonly describe: (object: MirrorObject) => Effect.Effect<WriteReceipt, MirrorTargetError>

  /** Removes an object. Idempotent: a missing one is a success. */
  readonly remove: (name: string) => Effect.Effect<void, MirrorTargetError>

  /** What stands under a name; nothing may be told where the target itself is missing. */
  readonly stat: (name: string) => Effect.Effect<Option.Option<TargetObject>, MirrorTargetError>

  /** Everything that stands at the target, in no promised order, with the tags and times that `stat` tells. */
  readonly list: Stream.Stream<TargetObject, MirrorTargetError>
}

/** Opens a target; no request is made. What it holds is given back with the scope. */
export type Open<Location> = (location: Location) => Effect.Effect<MirrorTarget, MirrorTargetError, Scope.Scope>

/**
 * The targets outside of this deployment that it can mirror to. One that is absent is no type to create mirrors of.
 */
export class MirrorTargets extends Context.Service<
  MirrorTargets,
  {
    readonly open: { readonly [Type in ExternalType]?: Open<Locations[Type]> }
  }
>()("@holdfast/core/mirrors/MirrorTargets") {}

/** No targets outside of this deployment: mirrors lead from one of its buckets to another. */
export const layerNone: Layer.Layer<MirrorTargets> = Layer.succeed(MirrorTargets, MirrorTargets.of({ open: {} }))
