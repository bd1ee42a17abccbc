/**
 * The first half of an upload: the bytes are made durable under a fresh blob that no file shows yet. No database
 * connection is held while they come.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { NotFound } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { MetadataError } from "../MetadataError.ts"
import * as Scoped from "../Scoped.ts"
import { Settings } from "../Settings.ts"
import type { BlobError } from "../storage/BlobError.ts"
import * as BlobKey from "../storage/BlobKey.ts"
import { BlobRepository } from "../storage/BlobRepository.ts"
import { BlobStore } from "../storage/BlobStore.ts"
import * as UploadLeases from "../storage/UploadLeases.ts"
import * as ContentGuard from "./ContentGuard.ts"
import { type Content, etagOf } from "./File.ts"
import { ChecksumMismatch, type ContentTooLarge, type LengthMismatch } from "./FileErrors.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import * as FileSignature from "./FileSignature.ts"

/** What the sender announced of a content. */
export interface Announced {
  /** Bytes. */
  readonly length?: number | undefined
  /** Hexadecimal. */
  readonly sha256?: string | undefined
  /** A media type; `application/octet-stream` and `application/x-www-form-urlencoded` say nothing: it is detected. */
  readonly contentType?: string | undefined
}

export type StagingError = NotFound | ContentTooLarge | LengthMismatch | ChecksumMismatch | BlobError | MetadataError

/** Durable bytes that wait for a file. */
export interface Staged {
  /** The content, for a file of this name. */
  readonly contentFor: (name: string) => Effect.Effect<Content>
  /**
   * Runs the commit, once. When it succeeds the bytes belong to the file; when it fails because the file cannot take
   * them they go. When nobody can tell (the connection broke) they stay until their lease ends.
   */
  readonly commit: <A, E>(step: Effect.Effect<A, E | MetadataError>) => Effect.Effect<A, E | MetadataError>
}

/** Clients send the one when they know nothing, and curl the other with whatever it is given. */
const silent = /^\s*application\/(?:octet-stream|x-www-form-urlencoded)\s*(?:;|$)/i

/** Whether a media type says nothing, so that it is detected. */
export const isSilent = (contentType: string | undefined): boolean =>
  contentType === undefined || silent.test(contentType)

/** The stager over the blob ports. What is not committed when the scope closes is removed. */
export const make = Effect.gen(function* () {
  const store = yield* BlobStore
  const repository = yield* BlobRepository
  const settings = yield* Settings
  const random = yield* SecureRandom
  const leases = yield* UploadLeases.make

  const discard = (key: string, blobId: string) =>
    Effect.andThen(store.remove(key), repository.forget([blobId])).pipe(
      // The row outlives what could not be removed, and the sweeper takes both.
      Effect.catch((error) => Effect.logWarning("An abandoned upload is left to the sweeper", error.reason))
    )

  return Effect.fnUntraced(function* <E, R>(
    bucket: BucketRef,
    source: Stream.Stream<Uint8Array, E, R>,
    announced: Announced
  ): Effect.fn.Return<Staged, StagingError | E, R | Scope.Scope> {
    const guarded = yield* ContentGuard.make(source, { limit: settings.maxUploadBytes, length: announced.length })
    const blobId = yield* Effect.provideService(Ids.make("blb"), SecureRandom, random)
    const key = BlobKey.make({ ...bucket, blobId })
    const now = yield* DateTime.now
    let isSettled = false

    yield* Scoped.acquire(repository.stage(bucket, blobId, now, leases.end(now)), () =>
      isSettled ? Effect.void : discard(key, blobId)
    )
    yield* leases.keep(blobId)

    const { sha256, size } = yield* store.put(key, guarded.content)
    if (announced.sha256 !== undefined && announced.sha256 !== sha256) return yield* new ChecksumMismatch()
    const head = guarded.head()

    return {
      contentFor: (name) =>
        Effect.map(DateTime.now, (storedAt) => {
          const detected = FileSignature.detect(head, name)
          const contentType =
            announced.contentType === undefined || isSilent(announced.contentType)
              ? detected.contentType
              : announced.contentType
          return { blobId, size, sha256, etag: etagOf(sha256), contentType, type: detected.type, storedAt }
        }),
      commit: (step) =>
        Effect.onExit(Effect.uninterruptible(step), (exit) =>
          Effect.sync(() => {
            isSettled = Exit.isSuccess(exit) || isUncertain(exit)
          })
        )
    }
  })
})

/** Only the metadata store's own failure, or a defect, leaves open whether the commit took place. */
const isUncertain = <A, E>(exit: Exit.Exit<A, E | MetadataError>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some(
    (reason) => reason._tag !== "Fail" || (isTagged(reason.error) && reason.error._tag === "MetadataError")
  )

const isTagged = (error: unknown): error is { readonly _tag: string } =>
  typeof error === "object" && error !== null && "_tag" in error
