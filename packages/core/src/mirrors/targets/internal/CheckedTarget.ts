/**
 * Checks what targets outside of the deployment report of objects, before it is stored. A service may send any text: PostgreSQL stores
 * no NUL and no lone surrogate, and a tag is kept for each object.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { MirrorTarget, TargetObject, WriteReceipt } from "../MirrorTarget.ts"
import { MirrorTargetError } from "../MirrorTargetError.ts"
import { isStorable } from "../../../Text.ts"

/**
 * The tags of Amazon S3 have up to 38 characters, those of Azure 18 and those of Google 39. Other services of S3's protocol choose
 * theirs.
 */
const tagPattern = /^[\u0020-\u007e]{0,256}$/

const isValid = ({ lastModified, tag }: WriteReceipt): boolean =>
  tagPattern.test(tag) && (lastModified === undefined || Number.isSafeInteger(lastModified))

const fault = (operation: string): MirrorTargetError =>
  new MirrorTargetError({
    reason: "Internal",
    operation,
    detail: "The target described an object by a version that is not printable ASCII of at most 256 characters."
  })

const checkReceipt = (operation: string) => (receipt: WriteReceipt) =>
  isValid(receipt) ? Effect.succeed(receipt) : Effect.fail(fault(operation))

const checkObjects = <Objects extends ReadonlyArray<TargetObject>>(
  objects: Objects
): Effect.Effect<Objects, MirrorTargetError> =>
  objects.every((object) => isValid(object) && Number.isSafeInteger(object.size))
    ? Effect.succeed(objects)
    : Effect.fail(fault("list"))

/**
 * Returns a target whose receipts and listed objects can be stored. Methods fail with `Internal` when the target reports others.
 * Leaves out listed objects whose names no file can have.
 */
export const make = (target: MirrorTarget): MirrorTarget => ({
  ...target,
  write: (object, content) => Effect.flatMap(target.write(object, content), checkReceipt("write")),
  describe: (object) => Effect.flatMap(target.describe(object), checkReceipt("describe")),
  list: target.list.pipe(
    Stream.filter(({ name }) => isStorable(name)),
    Stream.mapArrayEffect(checkObjects)
  )
})
