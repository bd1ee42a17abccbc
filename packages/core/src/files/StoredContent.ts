/**
 * Access to the stored bytes of a content: of a file, or of a stream's segment. Never returns bytes of another length than the record
 * says; reports such contents, so that the service checks and repairs them.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { DamageReports } from "../integrity/DamageReports.ts"
import type { BlobError } from "../storage/BlobError.ts"
import * as BlobKey from "../storage/BlobKey.ts"
import type { BlobStore, ByteRange, ReadOptions } from "../storage/BlobStore.ts"
import type { FindParts, PartRange } from "../storage/CompositeParts.ts"
import { ContentDamaged } from "./FileErrors.ts"

/** A range of a local file that holds a part of a content. The file may be removed before the caller opens it. */
export interface LocalPart {
  readonly path: string
  /** Bytes of the whole file. The caller compares them with the file that it opens. */
  readonly size: number
  readonly range: ByteRange
  /** As that of the content, for this part. */
  readonly reportDamage: Effect.Effect<void>
}

/** The range of a content that a part has. */
export interface ContentRange extends ByteRange {
  /** As in `UploadPart`. */
  readonly tag: string | null
}

/** A content several ranges of which are read. */
export interface OpenedContent {
  /** As that of `OpenedBlob`. */
  readonly readInto: (offset: number, memory: Uint8Array) => Effect.Effect<void, BlobError | ContentDamaged>
}

/** How a content is read. */
export type ReadHow = Pick<ReadOptions, "into">

export interface StoredContent {
  /** Reads the bytes, or a range of them. Each call starts a new read. */
  readonly read: (range?: ByteRange, how?: ReadHow) => Stream.Stream<Uint8Array, BlobError | ContentDamaged>
  /** Opens the bytes, several ranges of which are read, until the scope closes; absent when that costs no less than reading each. */
  readonly open?: Effect.Effect<OpenedContent, BlobError | ContentDamaged, Scope.Scope> | undefined
  /** Reads as `read` does, in chunks that are valid until the next one is pulled; absent when that costs no less. */
  readonly readTransient?: ((range?: ByteRange) => Stream.Stream<Uint8Array, BlobError | ContentDamaged>) | undefined
  /**
   * The path of a local file that holds exactly the bytes; undefined when the store has none. The file may be removed before the
   * caller opens it. The caller compares its size with the record.
   */
  readonly localFile: string | undefined
  /** Returns the local files that together hold a range of the bytes, in order; absent when the store has no such files. */
  readonly localParts?: ((range: ByteRange) => Stream.Stream<LocalPart, BlobError>) | undefined
  /** The ranges of the bytes that its parts have, in order; absent for a content that does not consist of parts. */
  readonly parts?: Stream.Stream<ContentRange, BlobError> | undefined
  /** Succeeds when the store has the blob, with the size of the record. */
  readonly check: Effect.Effect<void, BlobError | ContentDamaged>
  /** Reports that the stored bytes are missing, not those of the record, or not readable. */
  readonly reportDamage: Effect.Effect<void>
}

/** A blob, whose record has `size` bytes. */
interface Blob extends BlobKey.Parts {
  readonly size: number
}

/** Makes the access to a blob with bytes of its own. */
export const make = (
  store: BlobStore["Service"],
  { report }: DamageReports,
  { size, ...parts }: Blob
): StoredContent => {
  const key = BlobKey.make(parts)
  const reportDamage = report(parts)
  const damaged = Effect.suspend(() => Effect.andThen(reportDamage, Effect.fail(new ContentDamaged())))
  const orDamaged = <A, R>(self: Effect.Effect<A, BlobError, R>): Effect.Effect<A, BlobError | ContentDamaged, R> =>
    Effect.catch(self, (error): Effect.Effect<never, BlobError | ContentDamaged> => {
      if (error.reason === "Damaged") return damaged
      return error.reason === "Unreadable" ? Effect.andThen(reportDamage, Effect.fail(error)) : Effect.fail(error)
    })
  const { open } = store
  return {
    // Most contents are not opened: a store looks a key up when it is.
    open:
      open &&
      Effect.suspend(() =>
        Effect.map(orDamaged(open(key, size)), ({ readInto }) => ({
          readInto: (offset, memory) => orDamaged(readInto(offset, memory))
        }))
      ),
    read: (range, how) =>
      store.read(key, { ...how, range, size }).pipe(
        Stream.tapError(({ reason }) => (reason === "Unreadable" ? reportDamage : Effect.void)),
        Stream.catchIf(
          ({ reason }) => reason === "Damaged",
          () => Stream.fromEffect(damaged)
        )
      ),
    localFile: store.localFile(key),
    check: Effect.suspend(() =>
      Effect.flatMap(store.stat(key), (found) => (found.size === size ? Effect.void : damaged))
    ),
    reportDamage
  }
}

/** Makes the access to a composite content. What is damaged is a part, so that a reader reports the part. */
const makeComposite = (
  store: BlobStore["Service"],
  reports: DamageReports,
  findParts: FindParts,
  blob: Blob
): StoredContent => {
  const whole = { offset: 0, length: blob.size }
  const partOf = ({ blobId, bucketId, size, tenantId }: PartRange) =>
    make(store, reports, { tenantId, bucketId, blobId, size })
  const isMissing = (error: BlobError | ContentDamaged): boolean =>
    error._tag === "BlobError" && error.reason === "NotFound"
  const readPart = (part: PartRange) => {
    const { read, reportDamage } = partOf(part)
    return Stream.tapError(read(part.range), (error) => (isMissing(error) ? reportDamage : Effect.void))
  }
  const toLocal = (part: PartRange): ReadonlyArray<LocalPart> => {
    const { localFile, reportDamage } = partOf(part)
    return localFile === undefined ? [] : [{ path: localFile, size: part.size, range: part.range, reportDamage }]
  }
  const { localFiles } = store.capabilities
  return {
    read: (range = whole) => Stream.flatMap(findParts(blob, range), readPart),
    localFile: undefined,
    parts: findParts(blob, whole).pipe(
      Stream.mapAccum(
        () => 0,
        (offset, { size, tag }) => [offset + size, [{ offset, length: size, tag }]] as const
      )
    ),
    localParts: localFiles
      ? (range) => Stream.flatMap(findParts(blob, range), (part) => Stream.fromIterable(toLocal(part)))
      : undefined,
    check: Stream.runForEach(
      findParts(blob, { offset: 0, length: Math.min(1, blob.size) }),
      (part) => partOf(part).check
    ),
    reportDamage: Effect.void
  }
}

/** Makes the access to the content of a file. */
export const ofContent = (
  store: BlobStore["Service"],
  reports: DamageReports,
  findParts: FindParts,
  { isComposite, ...blob }: Blob & { readonly isComposite?: boolean | undefined }
): StoredContent => (isComposite === true ? makeComposite(store, reports, findParts, blob) : make(store, reports, blob))
