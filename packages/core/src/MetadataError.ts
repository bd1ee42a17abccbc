/**
 * The error of the repository ports.
 */
import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"
import { storageFullMessage } from "./Errors.ts"

/**
 * - `Unavailable`: the database cannot be reached, is shutting down, or accepts no further connection.
 * - `Timeout`: a statement took longer than the timeout, or waited that long for a lock or for a connection.
 * - `Contention`: the statement failed because of a concurrent one (serialisation failure, deadlock).
 * - `StorageFull`: the disk of the database is full.
 * - `Incompatible`: this process must not use the database, for the reason that the message of the cause states.
 * - `Internal`: anything else, such as a bug or unexpected data in the database.
 */
export type Reason = "Unavailable" | "Timeout" | "Contention" | "StorageFull" | "Incompatible" | "Internal"

/** The operations of adapters that open a database, and not those of requests. */
const opening: ReadonlySet<string> = new Set(["open", "migrate", "schemaVersion"])

/** Errors have few causes. One that is its own cause must not be followed without an end. */
const maxDepth = 8

/**
 * Returns the message of the innermost cause, such as a driver's "connect ECONNREFUSED 127.0.0.1:5432". Of several causes, as of a host
 * with two addresses, that of the first one.
 */
export const innermostMessage = (error: unknown, depth = 0): string | undefined => {
  if (!Predicate.isObject(error) || depth > maxDepth) return undefined
  for (const name of ["cause", "reason", "errors"]) {
    const inner: unknown = Reflect.get(error, name)
    const found = innermostMessage(Array.isArray(inner) ? inner[0] : inner, depth + 1)
    if (found !== undefined) return found
  }
  return error instanceof Error && error.message !== "" ? error.message : undefined
}

export class MetadataError extends Data.TaggedError("MetadataError")<{
  readonly reason: Reason
  /** The repository method that failed, such as `files.find`, for the operator. */
  readonly operation: string
  /** Whether the change may have been made all the same; false when absent. */
  readonly isOutcomeUnknown?: boolean
  readonly cause?: unknown
}> {
  override get message(): string {
    if (this.isOutcomeUnknown === true) {
      return "The metadata store failed, and whether the change was made is unknown. Read the record before you repeat the request."
    }
    if (this.reason === "StorageFull") {
      return storageFullMessage
    }
    if (this.reason === "Incompatible" && this.cause instanceof Error) return this.cause.message
    const cause = this.isOpening ? innermostMessage(this.cause) : undefined
    if (cause !== undefined) return `The database cannot be opened: ${cause}`
    return this.reason === "Timeout"
      ? "The database did not finish the operation in time: it is busy, or another request is changing the same records. Send the request again."
      : "The metadata store failed."
  }

  /**
   * Whether a database is not opened or migrated. Then the message has that of the cause: only the program that opens the database gets
   * it, and no client.
   */
  get isOpening(): boolean {
    return opening.has(this.operation)
  }

  /** Whether the same call may succeed later. */
  get isRetryable(): boolean {
    return this.reason === "Unavailable" || this.reason === "Timeout" || this.reason === "Contention"
  }

  get code(): "unavailable" | "storage_full" | "internal" {
    return this.isRetryable ? "unavailable" : this.reason === "StorageFull" ? "storage_full" : "internal"
  }
}
