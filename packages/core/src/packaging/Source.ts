/**
 * The port through which the packager reads a video file.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ByteRange } from "../storage/BlobStore.ts"

export interface Source<E> {
  /** Bytes of the whole file. */
  readonly size: number
  /**
   * Reads a range, which the caller keeps within the file. Returns exactly its bytes: in `into`, which has as many, or in other memory
   * that the source does not change later.
   */
  readonly readRange: (range: ByteRange, into?: Uint8Array) => Effect.Effect<Uint8Array, E>
  /** Returns the same file for several reads, until the scope closes; absent when that costs no less than reading each. */
  readonly open?: Effect.Effect<Source<E>, E, Scope.Scope> | undefined
}
