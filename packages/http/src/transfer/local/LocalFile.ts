/**
 * Local files that each hold exactly one blob: opening and closing them, and the meaning of their errors.
 */
import type { ContentDamaged } from "@holdfast/core/files/FileErrors"
import { BlobError, type Reason as BlobErrorReason } from "@holdfast/core/storage/BlobError"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import { ContentGone } from "../TransferErrors.ts"

export type LocalFileError = ContentGone | ContentDamaged | BlobError

/** Codes of errors that may not occur on another attempt: too few descriptors, or a device that is not connected. */
const transientCodes = new Set(["EAGAIN", "EBUSY", "EMFILE", "ENFILE", "ENOMEM", "ESTALE", "ETIMEDOUT"])

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

const reasonOf = (code: string): BlobErrorReason => {
  if (code === "EIO") return "Unreadable"
  return transientCodes.has(code) ? "Unavailable" : "Internal"
}

/**
 * Converts a system error to the error of the blob port: `Unreadable` when the device failed to read the file, `Unavailable` when
 * another attempt may succeed, else `Internal`.
 */
export const toBlobError = (cause: unknown): BlobError =>
  new BlobError({ reason: reasonOf(codeOf(cause)), operation: "localFile", cause })

/** Converts the error of opening a file. A missing file becomes `ContentGone`. */
export const toOpenError = (cause: unknown): LocalFileError =>
  codeOf(cause) === "ENOENT" ? new ContentGone() : toBlobError(cause)

const open = (path: string): Effect.Effect<number, LocalFileError> =>
  Effect.callback((resume) =>
    Fs.open(path, Fs.constants.O_RDONLY, (error, fd) =>
      resume(error === null ? Effect.succeed(fd) : Effect.fail(toOpenError(error)))
    )
  )

/** Errors are ignored: the file was opened for reading, so no data can be lost, and the descriptor cannot be used again. */
const close = (fd: number): Effect.Effect<void> => Effect.sync(() => Fs.close(fd, () => undefined))

/** Runs `use` with a descriptor of the file, and closes the descriptor exactly once when `use` ends in any way. */
export const withFile = <A, E, R>(
  path: string,
  use: (fd: number) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | LocalFileError, R> => Effect.acquireUseRelease(open(path), use, close)
