/**
 * Maps the errors of system calls to the errors of the BlobStore port.
 */
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as Download from "./internal/Download.ts"
import type * as FsCall from "./internal/FsCall.ts"

const storageFull = new Set(["ENOSPC", "EDQUOT", "EFBIG"])

/** Whether an errno's name means that the disk or a quota is full. */
export const isStorageFull = (code: string): boolean => storageFull.has(code)

/** The device failed, was removed, or was remounted read-only. */
const deviceFailed = new Set(["EIO", "EROFS", "ENXIO", "ENODEV", "ESTALE", "ENOTCONN", "ETIMEDOUT", "EHOSTDOWN"])

/** The process or the machine is out of descriptors, memory or another resource. */
const exhausted = new Set(["EMFILE", "ENFILE", "ENOMEM", "EBUSY", "EAGAIN"])

const reasonOf = (code: string): BlobError.Reason => {
  if (code === "ENOENT") return "NotFound"
  if (code === Download.wrongSize) return "Damaged"
  if (isStorageFull(code)) return "StorageFull"
  return deviceFailed.has(code) || exhausted.has(code) ? "Unavailable" : "Internal"
}

/** Returns the error of a port's method for a failed system call on a blob's file. */
export const fromErrno =
  (operation: string) =>
  (error: FsCall.ErrnoError): BlobError.BlobError =>
    new BlobError.BlobError({ reason: reasonOf(error.code), operation, cause: error.cause })

/** Returns the error of `read`. A device that fails to read one file may read others. */
export const fromErrnoOfRead = (error: FsCall.ErrnoError): BlobError.BlobError =>
  error.code === "EIO"
    ? new BlobError.BlobError({ reason: "Unreadable", operation: "read", cause: error.cause })
    : fromErrno("read")(error)

/**
 * Returns the error of a port's method for a failed system call on a directory of the store. A missing directory means that
 * the store is unavailable, as when its disk was unmounted.
 */
export const fromErrnoOfStore =
  (operation: string) =>
  (error: FsCall.ErrnoError): BlobError.BlobError =>
    error.code === "ENOENT"
      ? new BlobError.BlobError({ reason: "Unavailable", operation, cause: error.cause })
      : fromErrno(operation)(error)

/** Returns the error for a caller that passed a text that is not a `BlobKey`. */
export const invalidKey = (operation: string): BlobError.BlobError =>
  new BlobError.BlobError({ reason: "Internal", operation, cause: new Error("not a blob key") })
