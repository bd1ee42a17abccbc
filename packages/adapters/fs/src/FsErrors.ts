/**
 * From the kernel's errors to the port's.
 */
import * as BlobError from "@holdfast/core/storage/BlobError"
import type * as FsCall from "./FsCall.ts"

const storageFull = new Set(["ENOSPC", "EDQUOT", "EFBIG"])

/** The device failed, vanished or was remounted read-only. */
const deviceFailed = new Set(["EIO", "EROFS", "ENXIO", "ENODEV", "ESTALE", "ENOTCONN", "ETIMEDOUT", "EHOSTDOWN"])

/** The process or the machine has too much open. */
const exhausted = new Set(["EMFILE", "ENFILE", "ENOMEM", "EBUSY", "EAGAIN"])

const reasonOf = (code: string): BlobError.Reason => {
  if (code === "ENOENT") return "NotFound"
  if (storageFull.has(code)) return "StorageFull"
  return deviceFailed.has(code) || exhausted.has(code) ? "Unavailable" : "Internal"
}

/** The error of a port's method for a failed system call. */
export const fromErrno =
  (operation: string) =>
  (error: FsCall.ErrnoError): BlobError.BlobError =>
    new BlobError.BlobError({ reason: reasonOf(error.code), operation, cause: error.cause })

/**
 * The same for methods that ask for no blob: what is missing there is a directory of the store, as when its disk was
 * unmounted.
 */
export const fromErrnoOfStore =
  (operation: string) =>
  (error: FsCall.ErrnoError): BlobError.BlobError =>
    error.code === "ENOENT"
      ? new BlobError.BlobError({ reason: "Unavailable", operation, cause: error.cause })
      : fromErrno(operation)(error)

/** The caller broke the port's promise that a key is a `BlobKey`. */
export const invalidKey = (operation: string): BlobError.BlobError =>
  new BlobError.BlobError({ reason: "Internal", operation, cause: new Error("not a blob key") })
