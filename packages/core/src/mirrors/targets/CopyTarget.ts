/**
 * Targets as a worker uses them: those of the clouds, and buckets of this deployment.
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { MirrorObject, MirrorTarget, WriteReceipt } from "./MirrorTarget.ts"
import type { MirrorTargetError } from "./MirrorTargetError.ts"
import type { MirroredFile } from "./MirroredFile.ts"

/** An object with the file that it is made of. */
export interface CopiedObject extends MirrorObject {
  readonly file: MirroredFile
}

/** What `MirrorTarget` promises, of objects with their files. */
export interface CopyTarget extends Pick<MirrorTarget, "check" | "remove" | "list"> {
  /** Whether `check` writes an object, which it may leave behind when it is cut off. */
  readonly hasCheckObject: boolean

  readonly write: <E, R>(
    object: CopiedObject,
    content: Stream.Stream<Uint8Array, E, R>
  ) => Effect.Effect<WriteReceipt, MirrorTargetError | E, R>

  readonly describe: (object: CopiedObject) => Effect.Effect<WriteReceipt, MirrorTargetError>
}
