/**
 * Appends the bytes of one request to an upload, in parts of a bounded size.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { InvalidRequest } from "../../Errors.ts"
import * as ContentGuard from "../../files/ContentGuard.ts"
import { type ChecksumMismatch, ContentTooLarge } from "../../files/FileErrors.ts"
import { LimitsOf, within } from "../../usage/UsageLimits.ts"
import { maxParts, type StoredUpload, type Upload } from "../Upload.ts"
import { OffsetMismatch, UploadSuperseded } from "../UploadErrors.ts"
import { UploadRepository } from "../UploadRepository.ts"
import type { Appends } from "./Appends.ts"
import * as DeclaredLength from "./DeclaredLength.ts"
import * as PartStreams from "./PartStreams.ts"
import type { StorePart } from "./PartWriter.ts"

/** The bytes of one request that continues an upload. */
export interface AppendOptions {
  /** Where the client continues, in bytes. */
  readonly offset: number
  /** Bytes of the whole content, if the upload has not declared them before. */
  readonly length?: number | undefined
  /** Bytes of this request, if they are known: more than the upload may get are refused before one is read. */
  readonly contentLength?: number | undefined
  /**
   * Checks the bytes of this request after all of them were read. They are then kept as a whole or not at all: not
   * those before a cut of the connection either, because they cannot be checked.
   */
  readonly verify?: Effect.Effect<void, ChecksumMismatch> | undefined
  /** Called with the upload whenever more of its bytes are stored. */
  readonly onStored?: ((upload: Upload) => void) | undefined
}

/**
 * Bytes of a part of an upload by appends. A crash of the process loses the part that arrives. The client sends it
 * again, with what was on its way in buffers: 64 MiB at most.
 */
const appendPartBytes = 32 * 1024 * 1024

/**
 * Returns the bytes of the parts of an upload. Those of one whose length is declared need at most half of `maxParts`.
 */
const partBytesOf = ({ length }: Pick<Upload, "length">): number =>
  Math.max(appendPartBytes, Math.ceil((length ?? 0) / (maxParts / 2)))

/** Returns the error of a content that is larger than declared, or than the limit where it is smaller. */
const tooLarge = (
  { length }: Pick<Upload, "length">,
  { isOfBucket, limit }: Pick<ContentGuard.Expected, "isOfBucket" | "limit">
): ContentTooLarge =>
  length !== null && length <= limit
    ? new ContentTooLarge({ limit: length, isDeclared: true })
    : new ContentTooLarge({ limit, isOfBucket })

/** Makes the function that appends to an upload that the request has taken over. It returns the upload afterwards. */
export const make = Effect.fnUntraced(function* (storePart: StorePart, appends: Appends) {
  const uploads = yield* UploadRepository
  const limitsOf = yield* LimitsOf

  return Effect.fnUntraced(function* <E, R>(
    taken: StoredUpload,
    { isOfBucket, limit }: Pick<ContentGuard.Expected, "isOfBucket" | "limit">,
    content: Stream.Stream<Uint8Array, E, R>,
    options: Omit<AppendOptions, "onStored"> & { readonly onStored: (upload: StoredUpload) => void }
  ) {
    const { contentLength, length, offset, onStored, verify } = options
    const { bucketId, id: uploadId, tenantId } = taken
    const ref = { tenantId, bucketId, uploadId }
    let upload = taken
    if (upload.received !== offset) return yield* new OffsetMismatch({ offset: upload.received })
    if (length !== undefined && length !== upload.length) {
      yield* DeclaredLength.check(length, upload)
      if (length > limit) return yield* new ContentTooLarge({ limit, isOfBucket })
      upload = yield* within(yield* limitsOf(ref))(uploads.declareLength(ref, { length, now: yield* DateTime.now }))
    }
    const rest = Math.min(limit, upload.length ?? Infinity) - offset
    if (contentLength !== undefined && contentLength > rest) return yield* tooLarge(upload, { isOfBucket, limit })
    const guarded = yield* ContentGuard.make(content, { limit: rest, isOfBucket })
    const checkParts = (): Effect.Effect<void, InvalidRequest> =>
      upload.revision < maxParts
        ? Effect.void
        : Effect.fail(InvalidRequest.at("", `an upload has at most ${maxParts} parts; send more bytes in each request`))
    const store = <E2, R2>(bytes: Stream.Stream<Uint8Array, E2, R2>) =>
      Effect.suspend(() => {
        const at = { offset: upload.received, epoch: upload.epoch }
        return Effect.map(storePart(upload, bytes, { at, options: {}, mayBeEmpty: false }), (added) => {
          if (added === undefined) return
          upload = added.upload
          onStored(upload)
        })
      })
    const inParts = (stop: Effect.Effect<void>) =>
      Effect.scoped(
        Effect.flatMap(
          Effect.suspend(() => PartStreams.make(guarded.content, { partSize: partBytesOf(upload), stop })),
          ({ next, outcome }) => {
            const storeNext = Effect.flatMap(next, (bytes) =>
              bytes === undefined ? Effect.succeed(false) : Effect.as(Effect.andThen(checkParts(), store(bytes)), true)
            )
            return Effect.andThen(Effect.repeat(storeNext, { while: (isStored) => isStored }), outcome)
          }
        )
      )
    const asWhole = (check: Effect.Effect<void, ChecksumMismatch>, stop: Effect.Effect<void>) =>
      Effect.interruptible(
        Effect.raceFirst(
          store(Stream.concat(guarded.content, Stream.unwrap(Effect.as(check, Stream.empty)))),
          Effect.andThen(stop, Effect.fail(new UploadSuperseded()))
        )
      )
    if (verify !== undefined) yield* checkParts()
    yield* appends
      .run(uploadId, (stop): ReturnType<typeof inParts | typeof asWhole> =>
        verify === undefined ? inParts(stop) : asWhole(verify, stop)
      )
      .pipe(
        // The guard states how many bytes are left; the client has to know how many there may be.
        Effect.catchTag("ContentTooLarge", () => Effect.fail(tooLarge(upload, { isOfBucket, limit })))
      )
    return upload
  })
})
