/**
 * The check of a target outside of the deployment: writes an object of a fixed name, replaces its description, lists the target,
 * and removes the object.
 *
 * When the process or its connection dies between the write and the removal, the object stays at the target. The name is fixed, so
 * that the next check replaces and removes the object, and so that a reconciliation recognizes it.
 */
import * as Effect from "effect/Effect"
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

/** Former releases gave the object of each check a new name: a UUID instead of `object`. */
const formerName = /^\.holdfast-check-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a check of a former release may have left an object of this name at the target. A file may have such a name, too. */
export const isFormerName = (name: string): boolean => formerName.test(name)

/** How often a check restarts because another check of the same target removed the object in between. */
const maxRestarts = 2

const isRemoved = ({ operation, reason }: MirrorTargetError): boolean =>
  operation === "describe" && reason === "NotFound"

/** How long a check may take, and then the removal of its object when the check did not succeed. */
const limits = { steps: "25 seconds", cleanup: "5 seconds" } as const

const timedOut = new MirrorTargetError({
  reason: "Unavailable",
  operation: "check",
  detail: "The target did not complete the check within 30 seconds."
})

/**
 * Runs a check. Skips the description where `describe` is absent. Once the object is written, removes it also when a later step
 * fails. Fails with the first error, as an error of the operation `check`, and after 30 seconds at the latest.
 */
export const run = (
  { describe, remove, write }: Pick<MirrorTarget, "write" | "remove"> & Partial<Pick<MirrorTarget, "describe">>,
  list: Effect.Effect<unknown, MirrorTargetError>
): Effect.Effect<void, MirrorTargetError> => {
  const cleanup = remove(objectName).pipe(Effect.interruptible, Effect.timeoutOption(limits.cleanup), Effect.ignore)
  const read = describe === undefined ? list : Effect.andThen(describe(object), list)
  return write(object, Stream.make(bytes)).pipe(
    Effect.andThen(Effect.onError(read, () => cleanup)),
    Effect.andThen(remove(objectName)),
    Effect.retry({ times: maxRestarts, while: isRemoved }),
    Effect.timeoutOrElse({ duration: limits.steps, orElse: () => Effect.fail(timedOut) }),
    Effect.mapError(({ cause, detail, reason }) => new MirrorTargetError({ reason, operation: "check", detail, cause }))
  )
}
