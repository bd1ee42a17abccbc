/**
 * Compares stored contents with their records, records damage, and replaces damaged bytes by good ones.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { NotFound } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { BlobError } from "../storage/BlobError.ts"
import * as BlobKey from "../storage/BlobKey.ts"
import { BlobStore } from "../storage/BlobStore.ts"
import type { DamageKind } from "../storage/DamageKind.ts"
import { ContentHasher } from "./ContentHasher.ts"
import type { CheckedBlob } from "./Damage.ts"
import { DamageRepository } from "./DamageRepository.ts"
import * as ExpectedBytes from "./ExpectedBytes.ts"
import type { ReadPace } from "./ReadPace.ts"

/** The bytes that were to replace a damaged content are not those of its record. Nothing was changed. */
export class NotTheContent extends Data.TaggedError("NotTheContent")<{}> {
  override readonly message = "The bytes do not have the size and SHA-256 of the content's record."
}

export class Integrity extends Context.Service<
  Integrity,
  {
    /**
     * Reads a blob as a whole and compares it with its record. Returns the damage; undefined when there is none. A blob that cannot
     * be read is damaged, unless the store as a whole fails.
     */
    readonly compare: (blob: CheckedBlob, pace?: ReadPace) => Effect.Effect<DamageKind | undefined, BlobError>

    /**
     * As `compare`, and records the result. A blob that seems damaged is read once more first: a fault of memory or of a
     * connection does not occur twice. Returns the recorded damage; undefined when the blob is intact, or not READY any more.
     */
    readonly verify: (
      blob: CheckedBlob,
      pace?: ReadPace
    ) => Effect.Effect<DamageKind | undefined, BlobError | MetadataError>

    /** As `verify`, for a blob by its id. A blob that is not READY is not damaged. */
    readonly verifyById: (
      blobId: string,
      pace?: ReadPace
    ) => Effect.Effect<DamageKind | undefined, BlobError | MetadataError>

    /**
     * Replaces the bytes of a READY blob by those of a stream, and records that the blob is not damaged. The id and everything that
     * refers to it stay. Fails with `NotTheContent`, and changes nothing, unless the bytes have the size and SHA-256 of the record;
     * an error of the stream passes through unchanged and changes nothing either. The new bytes replace the old ones atomically
     * and durably, as `BlobStore.put` promises; readers of the old ones are not disturbed. Fails with `NotFound` when there is no
     * such READY blob.
     *
     * Safe while the service runs, and for blobs that are intact.
     */
    readonly restoreContent: <E, R>(
      blobId: string,
      content: Stream.Stream<Uint8Array, E, R>
    ) => Effect.Effect<void, E | NotTheContent | NotFound | BlobError | MetadataError, R>
  }
>()("@holdfast/core/integrity/Integrity") {}

/** Bytes that are hashed before other fibers run: some 0.3 ms. */
const sliceBytes = 128 * 1024

const make = Effect.gen(function* () {
  const store = yield* BlobStore
  const repository = yield* DamageRepository
  const hasher = yield* ContentHasher

  /** A blob that cannot be read is damaged while the store works. A store that fails says nothing about one blob. */
  const damagedUnlessStoreFails = (error: BlobError): Effect.Effect<DamageKind, BlobError> =>
    Effect.mapBoth(store.check, { onSuccess: (): DamageKind => "Damaged", onFailure: () => error })

  const compare = ({ sha256, size, ...parts }: CheckedBlob, pace?: ReadPace) =>
    Effect.suspend(() => {
      const hash = hasher.sha256()
      let count = 0
      const take = Effect.fnUntraced(function* (chunk: Uint8Array) {
        for (let offset = 0; offset < chunk.byteLength; offset += sliceBytes) {
          hash.update(chunk.subarray(offset, offset + sliceBytes))
          if (chunk.byteLength > sliceBytes) yield* Effect.yieldNow
        }
        count += chunk.byteLength
        if (pace !== undefined) yield* pace(chunk.byteLength)
      })
      return Stream.runForEach(store.read(BlobKey.make(parts), { isTransient: true, size }), take).pipe(
        Effect.map((): DamageKind | undefined =>
          count !== size ? "WrongSize" : hash.digest() === sha256 ? undefined : "Damaged"
        ),
        Effect.catch((error) => {
          if (error.reason === "NotFound") return Effect.succeed<DamageKind>("Missing")
          if (error.reason === "Damaged") return Effect.succeed<DamageKind>("WrongSize")
          return error.reason === "Unreadable" ? damagedUnlessStoreFails(error) : Effect.fail(error)
        })
      )
    })

  const annotations = ({ blobId, bucketId, fileId, tenantId }: CheckedBlob) => ({ tenantId, bucketId, fileId, blobId })

  const clear = Effect.fnUntraced(function* (blob: CheckedBlob) {
    const { wasDamaged } = yield* repository.clear(blob.blobId)
    if (wasDamaged) yield* Effect.annotateLogs(Effect.logInfo("damaged content is intact again"), annotations(blob))
  })

  const verify = Effect.fn("Integrity.verify")(function* (blob: CheckedBlob, pace?: ReadPace) {
    const first = yield* compare(blob, pace)
    if (first === undefined) return yield* Effect.as(clear(blob), undefined)
    const kind = yield* compare(blob, pace)
    if (kind === undefined) {
      yield* Effect.logWarning("content read with other bytes once; the next read was right").pipe(
        Effect.annotateLogs({ ...annotations(blob), kind: first })
      )
      return yield* Effect.as(clear(blob), undefined)
    }
    // Removed or replaced while it was read.
    if (Option.isNone(yield* repository.find(blob.blobId))) return undefined
    if (yield* repository.record({ blob, kind, at: yield* DateTime.now })) {
      yield* Effect.annotateLogs(Effect.logError("content damaged"), { ...annotations(blob), kind })
    }
    return kind
  })

  return Integrity.of({
    compare,
    verify,
    verifyById: (blobId, pace) =>
      Effect.flatMap(
        repository.find(blobId),
        Option.match({ onNone: () => Effect.undefined, onSome: (blob) => verify(blob, pace) })
      ),
    restoreContent: Effect.fn("Integrity.restoreContent")(function* (blobId, content) {
      const found = yield* repository.find(blobId)
      if (Option.isNone(found)) return yield* new NotFound({ resource: "file" })
      const blob = found.value
      const key = BlobKey.make(blob)
      const expectRecorded = ExpectedBytes.verify({
        ...blob,
        makeHash: hasher.sha256,
        toError: () => new NotTheContent()
      })
      yield* store.put(key, expectRecorded(content))
      const { hasRow } = yield* repository.clear(blobId)
      // The file was removed and its blob swept meanwhile: nothing else would remove these bytes.
      if (!hasRow) yield* store.remove(key)
    })
  })
})

export const layer: Layer.Layer<Integrity, never, BlobStore | DamageRepository | ContentHasher> = Layer.effect(
  Integrity,
  make
)
