/**
 * The error of the BlobStore port.
 */
import * as Data from "effect/Data"
import { storageFullMessage } from "../Errors.ts"

/**
 * - `NotFound`: no blob has this key.
 * - `Damaged`: the blob has another size than the reader expects. No retry helps.
 * - `Unreadable`: the device fails to read the bytes of this blob. It may read other blobs.
 * - `StorageFull`: the disk is full, or a quota is reached.
 * - `Unavailable`: the store does not answer, rejects requests temporarily, or its device failed (EIO).
 * - `Internal`: anything else, such as a bug or wrong credentials.
 */
export type Reason = "NotFound" | "Damaged" | "Unreadable" | "StorageFull" | "Unavailable" | "Internal"

export class BlobError extends Data.TaggedError("BlobError")<{
  readonly reason: Reason
  /** The method of the port that failed, for the operator. */
  readonly operation: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.reason === "StorageFull" ? storageFullMessage : "The blob store failed."
  }

  /** Whether the same call may succeed later. */
  get isRetryable(): boolean {
    return this.reason === "Unavailable" || this.reason === "Unreadable"
  }

  get code(): "unavailable" | "storage_full" | "internal" {
    switch (this.reason) {
      case "StorageFull":
        return "storage_full"
      case "Unavailable":
      case "Unreadable":
        return "unavailable"
      default:
        return "internal"
    }
  }
}
