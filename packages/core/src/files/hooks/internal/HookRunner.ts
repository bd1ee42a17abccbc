/**
 * Runs hooks before changes.
 */
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as Stream from "effect/Stream"
import type { Identity } from "../../../access/Access.ts"
import type { BucketRef } from "../../../buckets/BucketRef.ts"
import { actorOf } from "../../../events/EventAuthor.ts"
import type { BlobError } from "../../../storage/BlobError.ts"
import * as BlobKey from "../../../storage/BlobKey.ts"
import { BlobStore } from "../../../storage/BlobStore.ts"
import * as File from "../../File.ts"
import { FileHooks, type Hook } from "../FileHooks.ts"
import { ChangeRefused, HookFailed } from "../HookErrors.ts"
import { HookNesting, maxDepth } from "./HookNesting.ts"

/** A content that was staged. */
export interface StagedChange {
  readonly bucket: BucketRef
  readonly identity: Identity
  readonly content: File.Content
  readonly file: Pick<File.StoredFile, "path" | "name" | "metadata">
  /** The bytes, where the content's blob has none of its own. */
  readonly bytes?: Stream.Stream<Uint8Array, BlobError> | undefined
}

class TookTooLong extends Data.TaggedError("TookTooLong")<{}> {
  override readonly message = "The hook took longer than the timeout of hooks."
}

const tooDeep = new ChangeRefused({
  reason: `its hooks change files whose hooks change files, ${maxDepth} times in a row. Do so in an after hook.`
})

/** Bounds the calls of each tenant. A tenant without calls takes no memory. */
const makeSlots = (concurrency: number) => {
  const tenants = new Map<string, { readonly slots: Semaphore.Semaphore; users: number }>()
  return (tenantId: string) =>
    <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const entry = tenants.get(tenantId) ?? { slots: Semaphore.makeUnsafe(concurrency), users: 0 }
          entry.users++
          tenants.set(tenantId, entry)
          return entry
        }),
        ({ slots }) => slots.withPermit(self),
        (entry) =>
          Effect.sync(() => {
            if (--entry.users === 0) tenants.delete(tenantId)
          })
      )
}

const withRef = (bucket: BucketRef, file: File.StoredFile) => ({
  ...File.fromStored(file),
  tenantId: bucket.tenantId,
  bucketId: bucket.bucketId,
  fileId: file.id
})

/** Makes the functions that services call before their changes. Without a hook they do nothing. */
export const make = Effect.gen(function* () {
  const store = yield* BlobStore
  const { concurrency = 4, onDelete, onReplace, onUpload, timeout = "1 minute" } = yield* FileHooks
  const slots = makeSlots(concurrency)

  const call = <Change>(
    hook: string,
    { before }: Hook<Change>,
    tenantId: string,
    toChange: () => Change
  ): Effect.Effect<void, ChangeRefused | HookFailed> =>
    before === undefined
      ? Effect.void
      : Effect.flatMap(HookNesting, ({ depth, turns }) => {
          if (depth === maxDepth) return Effect.fail(tooDeep)
          const limited = Effect.suspend(() => before(toChange())).pipe(
            Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(new TookTooLong()) }),
            Effect.provideService(HookNesting, { depth: depth + 1, turns })
          )
          // The hook around this one has a slot and waits for it: waiting for a slot here could be without an end.
          return depth === 0 ? slots(tenantId)(limited) : limited
        }).pipe(
          Effect.catchCause((cause) => {
            if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
            const error = Cause.squash(cause)
            return Effect.fail(error instanceof ChangeRefused ? error : new HookFailed({ hook, cause: error }))
          })
        )

  const toUpload = ({ bucket, bytes, content, file, identity }: StagedChange) => {
    const { tenantId, bucketId } = bucket
    const { blobId, contentType, sha256, size } = content
    const { metadata, name, path } = file
    return {
      file: { tenantId, bucketId, path, name, metadata, contentType, size, sha256 },
      actor: actorOf(identity),
      content: bytes ?? store.read(BlobKey.make({ tenantId, bucketId, blobId }), { size })
    }
  }

  return {
    /** Whether replacements of contents have a hook. */
    hasReplace: onReplace?.before !== undefined,

    beforeUpload: (change: StagedChange) =>
      call("onUpload", onUpload ?? {}, change.bucket.tenantId, () => toUpload(change)),

    /** `current` is the file before the change; nothing happens if it has no content. */
    beforeReplace: (change: StagedChange, current: File.StoredFile) =>
      current.content === null
        ? Effect.void
        : call("onReplace", onReplace ?? {}, change.bucket.tenantId, () => ({
            ...toUpload(change),
            current: withRef(change.bucket, current)
          })),

    /** Undefined without a hook, so that callers need not look the file up. */
    beforeDelete:
      onDelete?.before === undefined
        ? undefined
        : (bucket: BucketRef, identity: Identity, file: File.StoredFile) =>
            call("onDelete", onDelete, bucket.tenantId, () => ({
              file: withRef(bucket, file),
              actor: actorOf(identity)
            }))
  }
})

export type HookRunner = Effect.Success<typeof make>
