/**
 * The one error of the repository ports.
 */
import * as Data from "effect/Data"

/**
 * - `Unavailable`: the database cannot be reached, is shutting down, is out of connections or stays locked.
 * - `Contention`: the statement lost against a concurrent one (serialisation failure, deadlock).
 * - `StorageFull`: the database's disk is full.
 * - `Internal`: anything else; a bug, or a database that does not hold what it should.
 */
export type Reason = "Unavailable" | "Contention" | "StorageFull" | "Internal"

export class MetadataError extends Data.TaggedError("MetadataError")<{
  readonly reason: Reason
  /** The repository method that failed, for the operator. */
  readonly operation: string
  readonly cause?: unknown
}> {
  override readonly message = "The metadata store failed."

  /** Whether the same call may succeed later. */
  get isRetryable(): boolean {
    return this.reason === "Unavailable" || this.reason === "Contention"
  }

  get code(): "unavailable" | "storage_full" | "internal" {
    return this.isRetryable ? "unavailable" : this.reason === "StorageFull" ? "storage_full" : "internal"
  }
}
