/**
 * Access to the stored bytes of a content: of a file, or of a stream's segment. Never returns bytes of another length than the record
 * says; reports such contents, so that the service checks and repairs them.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { DamageReports } from "../integrity/DamageReports.ts"
import type { BlobError } from "../storage/BlobError.ts"
import * as BlobKey from "../storage/BlobKey.ts"
import type { BlobStore, ByteRange } from "../storage/BlobStore.ts"
import { ContentDamaged } from "./FileErrors.ts"

export interface StoredContent {
  /** Reads the bytes, or a range of them. Each call starts a new read. */
  readonly read: (range?: ByteRange) => Stream.Stream<Uint8Array, BlobError | ContentDamaged>
  /**
   * The path of a local file that holds exactly the bytes; undefined when the store has none. The file may be removed before the
   * caller opens it. The caller compares its size with the record.
   */
  readonly localFile: string | undefined
  /** Succeeds when the store has the blob, with the size of the record. */
  readonly check: Effect.Effect<void, BlobError | ContentDamaged>
  /** Reports that the stored bytes are missing, not those of the record, or not readable. */
  readonly reportDamage: Effect.Effect<void>
}

/** Makes the access to a blob, whose record has `size` bytes. */
export const make = (
  store: BlobStore["Service"],
  { report }: DamageReports,
  { size, ...parts }: BlobKey.Parts & { readonly size: number }
): StoredContent => {
  const key = BlobKey.make(parts)
  const reportDamage = report(parts)
  const damaged = Effect.suspend(() => Effect.andThen(reportDamage, Effect.fail(new ContentDamaged())))
  return {
    read: (range) =>
      store.read(key, { range, size }).pipe(
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
