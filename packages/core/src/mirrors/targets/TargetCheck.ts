/**
 * The check of a target: an object of a fixed name is written, described anew and removed.
 *
 * When a process or its connection dies between the write and the removal, the object stays at the target. Its name is fixed, so
 * that the next check replaces and removes it, and so that a reconciliation knows it.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type { MirrorObject, MirrorTarget } from "./MirrorTarget.ts"
import { MirrorTargetError } from "./MirrorTargetError.ts"

/** The name of the object that a check writes. No file is copied under it. */
export const objectName = ".holdfast-check-object"

const bytes = new TextEncoder().encode("Holdfast checks whether it may write here. This object can be removed.\n")

const object: MirrorObject = {
  name: objectName,
  size: bytes.byteLength,
  sha256: "05ea84eb3326a98ae8c7053d43c9b560e44c23d1fc50f56641eb217b329c6de5",
  description: { contentType: "text/plain", metadata: {} }
}

/** Former versions gave the object of each check a name of its own: a UUID instead of `object`. */
const formerName = /^\.holdfast-check-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a former version's check may have left an object of this name at the target. A file may have such a name, too. */
export const isFormerName = (name: string): boolean => formerName.test(name)

/** How often a check begins anew because another check of the same target removed the object in between. */
const maxRestarts = 2

const isRemoved = ({ operation, reason }: MirrorTargetError): boolean =>
  operation === "describe" && reason === "NotFound"

/**
 * Writes the object, describes it anew where `describe` is given, lists the target by `list`, and removes the object, also when a
 * step before failed. Fails with the first error, as one of the operation `check`.
 */
export const run = (
  { describe, remove, write }: Pick<MirrorTarget, "write" | "remove"> & Partial<Pick<MirrorTarget, "describe">>,
  list: Effect.Effect<unknown, MirrorTargetError>
): Effect.Effect<void, MirrorTargetError> =>
  Effect.acquireUseRelease(
    write(object, Stream.make(bytes)),
    () => (describe === undefined ? list : Effect.andThen(describe(object), list)),
    (_receipt, exit) => (Exit.isSuccess(exit) ? remove(objectName) : Effect.ignore(remove(objectName)))
  ).pipe(
    Effect.retry({ times: maxRestarts, while: isRemoved }),
    Effect.asVoid,
    Effect.mapError(({ cause, detail, reason }) => new MirrorTargetError({ reason, operation: "check", detail, cause }))
  )
