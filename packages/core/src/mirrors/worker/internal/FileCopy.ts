/**
 * Copies one file: brings the target up to date with it.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { BucketRef } from "../../../buckets/BucketRef.ts"
import type { BlobError } from "../../../storage/BlobError.ts"
import * as BlobKey from "../../../storage/BlobKey.ts"
import { BlobRepository } from "../../../storage/BlobRepository.ts"
import { BlobStore } from "../../../storage/BlobStore.ts"
import * as CompositeParts from "../../../storage/CompositeParts.ts"
import type { CopiedObject, CopyTarget } from "../../targets/CopyTarget.ts"
import { MirrorTargetError } from "../../targets/MirrorTargetError.ts"
import * as ObjectDescription from "../../targets/ObjectDescription.ts"
import * as TargetCheck from "../../targets/TargetCheck.ts"
import * as Trace from "../../targets/Trace.ts"
import type { MirrorTask, WrittenObject } from "../MirrorTask.ts"
import type { Report } from "./CopyPool.ts"

/** The changes that a copy has made at the target, also when it fails afterwards. */
export interface Progress {
  written: WrittenObject | null
  readonly removed: Array<string>
}

type Source = NonNullable<MirrorTask["write"]>

const toObject = ({ file, name }: Source): CopiedObject => ({
  name,
  size: file.content.size,
  sha256: file.content.sha256,
  description: ObjectDescription.of(file),
  formerBucketIds: Trace.bucketIdsOf(file),
  file
})

const reservedName = new MirrorTargetError({
  reason: "Invalid",
  operation: "write",
  detail: `The name ${TargetCheck.objectName} is reserved for checks of the target. Give the file another name.`
})

const isNotFound = (error: MirrorTargetError): boolean => error.reason === "NotFound"

/** Writes an object. Where the target is known to have its bytes, sends the description only. */
const write = Effect.fnUntraced(function* (
  { bucketId, tenantId }: BucketRef,
  source: Source,
  target: CopyTarget,
  report: Report
) {
  const store = yield* BlobStore
  const object = toObject(source)
  if (target.hasCheckObject && object.name === TargetCheck.objectName) return yield* reservedName
  const blobs = yield* BlobRepository
  const { blobId, isComposite } = source.file.content
  const blob = { tenantId, bucketId, blobId }
  const content =
    isComposite === true
      ? CompositeParts.readWhole(store, blobs, blob)
      : store.read(BlobKey.make(blob), { isTransient: true })
  const observed = Stream.tap(content, ({ length }) => Effect.sync(() => report.sent(length)))
  const written = target.write(object, observed)
  // The target copies the bytes of the object, and may take as long as to receive them.
  if (source.hasBytes) report.sent(object.size)
  const receipt = source.hasBytes
    ? yield* Effect.catchIf(target.describe(object), isNotFound, () => written)
    : yield* written
  report.responded()
  return { name: object.name, size: object.size, sha256: object.sha256, ...receipt }
})

/**
 * Checks the target after a failure, and fails again: with the error of the check, or with `targetWorks` when the check succeeds.
 * The failure alone does not show whether the target works: adapters refuse some names without a request, and some objects are
 * refused by a target that works.
 */
const failAfterCheck =
  ({ check }: Pick<CopyTarget, "check">) =>
  ({ detail, operation, reason }: MirrorTargetError): Effect.Effect<never, MirrorTargetError> =>
    Effect.andThen(check, new MirrorTargetError({ reason, operation, detail, targetWorks: true }))

/**
 * Writes the object of a file, unless the file is itself a copy that came from the target: then the target refuses it. Returns whether it
 * was written.
 */
const writeUnlessFromTarget = Effect.fnUntraced(function* (
  bucket: BucketRef,
  source: Source,
  target: CopyTarget,
  progress: Progress,
  report: Report
) {
  // Without a trace, the target is the bucket itself: the whole mirror is wrong.
  const isFromTarget = (error: MirrorTargetError | BlobError) =>
    error._tag === "MirrorTargetError" && error.reason === "Loop" && Trace.bucketIdsOf(source.file).length > 0
  const written = yield* Effect.catchIf(write(bucket, source, target, report), isFromTarget, () => Effect.succeed(null))
  progress.written = written
  return written !== null
})

const copyAndRemove = Effect.fnUntraced(function* (
  bucket: BucketRef,
  { remove, write: file }: MirrorTask,
  target: CopyTarget,
  progress: Progress,
  report: Report
) {
  if (file !== null && !(yield* writeUnlessFromTarget(bucket, file, target, progress, report))) {
    // The objects that have the names of the file at the target may be the one that it is a copy of: the mirror only gives up the names.
    progress.removed.push(file.name, ...remove)
    return
  }
  for (const name of remove) {
    report.sent(0)
    yield* target.remove(name)
    report.responded()
    progress.removed.push(name)
  }
})

/**
 * Copies a file, and removes its former objects afterwards: a renamed file exists under one of its names at any time.
 *
 * `isProbe`: whether the mirror fails, so that the copy has to show whether the target works again. The target is then checked
 * where there is nothing to copy, and where the copy fails.
 */
export const copyFile = ({
  bucket,
  isProbe,
  progress,
  report,
  target,
  task
}: {
  readonly bucket: BucketRef
  readonly task: MirrorTask
  readonly target: CopyTarget
  readonly progress: Progress
  readonly report: Report
  readonly isProbe: boolean
}): Effect.Effect<void, MirrorTargetError | BlobError, BlobRepository | BlobStore> => {
  const copy = copyAndRemove(bucket, task, target, progress, report)
  if (!isProbe) return copy
  if (task.write === null && task.remove.length === 0) return target.check
  // A check before this one may have been cut off before it removed its object.
  const probe = target.hasCheckObject ? Effect.andThen(copy, target.remove(TargetCheck.objectName)) : copy
  return Effect.catchTag(probe, "MirrorTargetError", failAfterCheck(target))
}
