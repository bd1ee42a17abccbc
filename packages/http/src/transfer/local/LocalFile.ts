/**
 * Files of this machine that hold exactly one blob each: opening, closing, and what their errors mean.
 */
import { BlobError } from "@holdfast/core/storage/BlobError"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import { ContentGone } from "../TransferErrors.ts"

export type LocalFileError = ContentGone | BlobError

/** Out of descriptors, or a device that fails: another attempt may succeed. */
const passing = new Set(["EAGAIN", "EBUSY", "EIO", "EMFILE", "ENFILE", "ENOMEM", "ESTALE", "ETIMEDOUT"])

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

/** A system error as the port's own. */
export const toBlobError = (cause: unknown): BlobError =>
  new BlobError({ reason: passing.has(codeOf(cause)) ? "Unavailable" : "Internal", operation: "localFile", cause })

/** The error of opening a file: a missing one is `ContentGone`. */
export const toOpenError = (cause: unknown): LocalFileError =>
  codeOf(cause) === "ENOENT" ? new ContentGone() : toBlobError(cause)

/** The file does not hold as many bytes as its record says: it was damaged. */
export const sizeMismatch = (path: string): BlobError =>
  new BlobError({
    reason: "Internal",
    operation: "localFile",
    cause: new Error(`${path} does not have the recorded size`)
  })

const open = (path: string): Effect.Effect<number, LocalFileError> =>
  Effect.callback((resume) =>
    Fs.open(path, Fs.constants.O_RDONLY, (error, fd) =>
      resume(error === null ? Effect.succeed(fd) : Effect.fail(toOpenError(error)))
    )
  )

/** Nothing can be done about a descriptor that does not close, and nothing was written through it. */
const close = (fd: number): Effect.Effect<void> => Effect.sync(() => Fs.close(fd, () => undefined))

/** Runs `use` with a descriptor of the file, which is closed exactly once when `use` has ended, however it ends. */
export const withFile = <A, E, R>(
  path: string,
  use: (fd: number) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | LocalFileError, R> => Effect.acquireUseRelease(open(path), use, close)
