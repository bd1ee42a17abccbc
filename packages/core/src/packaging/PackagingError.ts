/**
 * The error of the packager: a file from which it cannot cut segments.
 */
import * as Data from "effect/Data"

/**
 * - `Malformed`: the file contradicts its own structure, or is cut off.
 * - `Encrypted`: only players with its key (DRM) can play the file.
 * - `Unsupported`: the file may be right, but the packager has no support for it. A `Transcoder` may convert it.
 * - `LimitExceeded`: the file is larger than the limits of the packager.
 */
export type Reason = "Malformed" | "Encrypted" | "Unsupported" | "LimitExceeded"

export class PackagingError extends Data.TaggedError("PackagingError")<{
  readonly reason: Reason
  /** What is wrong with the file. Contains no text of it. */
  readonly detail: string
}> {
  override get message(): string {
    return this.detail
  }
}

export const isPackagingError = (error: unknown): error is PackagingError => error instanceof PackagingError

export const malformed = (detail: string): PackagingError => new PackagingError({ reason: "Malformed", detail })

export const unsupported = (detail: string): PackagingError => new PackagingError({ reason: "Unsupported", detail })

export const limitExceeded = (detail: string): PackagingError => new PackagingError({ reason: "LimitExceeded", detail })
