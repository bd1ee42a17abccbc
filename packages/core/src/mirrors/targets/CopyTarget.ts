/**
 * Targets as the worker uses them: those outside of the deployment, and buckets of other tenants.
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { MirroredFile } from "./MirroredFile.ts"
import type { MirrorObject, MirrorTarget, WriteReceipt } from "./MirrorTarget.ts"
import type { MirrorTargetError } from "./MirrorTargetError.ts"

/** An object with its file. A bucket of another tenant copies headers and metadata from the file, not from the description. */
export interface CopiedObject extends MirrorObject {
  readonly file: MirroredFile
}

/** What `MirrorTarget` promises, for objects with their files. */
export interface CopyTarget extends Pick<MirrorTarget, "check" | "remove" | "read" | "list"> {
  /** Whether `check` writes an object, which stays at the target when the check is cut off. */
  readonly hasCheckObject: boolean

  readonly write: <E, R>(
    object: CopiedObject,
    content: Stream.Stream<Uint8Array, E, R>
  ) => Effect.Effect<WriteReceipt, MirrorTargetError | E, R>

  readonly describe: (object: CopiedObject) => Effect.Effect<WriteReceipt, MirrorTargetError>
}
