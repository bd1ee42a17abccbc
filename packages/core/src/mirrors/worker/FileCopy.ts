/**
 * Brings a target to what one file is.
 */
import * as Effect from "effect/Effect"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import * as BlobKey from "../../storage/BlobKey.ts"
import type { BlobError } from "../../storage/BlobError.ts"
import { BlobStore } from "../../storage/BlobStore.ts"
import type { CopiedObject, CopyTarget } from "../targets/CopyTarget.ts"
import { MirrorTargetError } from "../targets/MirrorTargetError.ts"
import * as TargetCheck from "../targets/TargetCheck.ts"
import type { MirrorTask, WrittenObject } from "./MirrorTask.ts"
import * as ObjectDescription from "../targets/ObjectDescription.ts"

/** What has been done, also when the rest fails. */
export interface Progress {
  written: WrittenObject | null
  readonly removed: Array<string>
}

const objectOf = ({ file, name }: NonNullable<MirrorTask["write"]>): CopiedObject => ({
  name,
  size: file.content.size,
  sha256: file.content.sha256,
  description: ObjectDescription.of(file),
  file
})

/** Only where the bytes are known to stand are they not sent again. */
const put = Effect.fnUntraced(function* (
  { bucketId, tenantId }: BucketRef,
  wanted: NonNullable<MirrorTask["write"]>,
  target: CopyTarget
) {
  const store = yield* BlobStore
  const object = objectOf(wanted)
  if (target.hasCheckObject && object.name === TargetCheck.objectName) return yield* reserved
  const key = BlobKey.make({ tenantId, bucketId, blobId: wanted.file.content.blobId })
  const write = target.write(object, store.read(key, { isTransient: true }))
  const receipt = wanted.hasBytes
    ? yield* Effect.catchIf(target.describe(object), isMissing, () => write)
    : yield* write
  return { name: object.name, size: object.size, sha256: object.sha256, ...receipt }
})

const reserved = new MirrorTargetError({
  reason: "Invalid",
  operation: "write",
  detail: `The name ${TargetCheck.objectName} is reserved for checks of the target. Give the file another name.`
})

const isMissing = (error: MirrorTargetError): boolean => error.reason === "NotFound"

/** What fails says nothing of the target as a whole: some names are refused before it is asked, others it alone cannot take. */
const blamed =
  ({ check }: Pick<CopyTarget, "check">) =>
  ({ detail, operation, reason }: MirrorTargetError): Effect.Effect<never, MirrorTargetError> =>
    Effect.andThen(check, new MirrorTargetError({ reason, operation, detail, targetWorks: true }))

/**
 * A file under a new name is written before the former one goes. `probe`: whether the target is in trouble, so that it has to
 * be asked also where there is nothing to do, or what there is does not tell.
 */
export const copy = (
  bucket: BucketRef,
  task: MirrorTask,
  target: CopyTarget,
  progress: Progress,
  probe: boolean
): Effect.Effect<void, MirrorTargetError | BlobError, BlobStore> => {
  const { remove, write } = task
  const work = Effect.gen(function* () {
    if (write !== null) progress.written = yield* put(bucket, write, target)
    for (const name of remove) {
      yield* target.remove(name)
      progress.removed.push(name)
    }
  })
  if (!probe) return work
  if (write === null && remove.length === 0) return target.check
  // A check before this one may have been cut off before it removed its object.
  const cleaned = target.hasCheckObject ? Effect.andThen(work, target.remove(TargetCheck.objectName)) : work
  return Effect.catchTag(cleaned, "MirrorTargetError", blamed(target))
}
