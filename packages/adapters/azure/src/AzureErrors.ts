/**
 * From what went wrong with a request to the errors of the two ports.
 */
import * as MirrorTargetError from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import type { AzureFailure, Meaning } from "./AzureFailure.ts"

/** A container that is missing, and credentials that are wrong, are no blob's fault: the configuration is wrong. */
const blobReasons: Record<Meaning, BlobError.Reason> = {
  Missing: "NotFound",
  NoAccount: "Internal",
  NoContainer: "Internal",
  Denied: "Internal",
  Refused: "Internal",
  Unavailable: "Unavailable",
  Full: "StorageFull",
  TooLarge: "StorageFull",
  Blocked: "Internal",
  Damaged: "Unavailable",
  Other: "Internal"
}

/** The error of a method of BlobStore. */
export const toBlobError =
  (operation: string) =>
  (failure: AzureFailure): BlobError.BlobError =>
    new BlobError.BlobError({ reason: blobReasons[failure.meaning], operation, cause: failure })

const targetErrors: Record<Meaning, readonly [reason: MirrorTargetError.Reason, detail: string]> = {
  Missing: ["NotFound", "The object does not exist."],
  NoAccount: ["NotFound", "The storage account does not exist."],
  NoContainer: ["NotFound", "The container does not exist."],
  Denied: ["Denied", "The storage account does not accept the account key, or does not permit this."],
  Refused: ["Refused", AddressRefused.detail],
  Unavailable: ["Unavailable", "The storage account does not answer, or asks to come again later."],
  Full: ["Full", "The storage account has no room left."],
  TooLarge: ["Invalid", "The object is larger than the storage account takes."],
  Blocked: ["Invalid", "The storage account does not let this object be changed so."],
  Damaged: ["Damaged", "The bytes were damaged on their way."],
  Other: ["Internal", "The storage account answered in an unexpected way."]
}

/** Only what looks like a code: the rest of an answer may be anything, from anywhere. */
const isTold = (code: string | undefined): code is string => code !== undefined && /^[A-Za-z0-9]{1,64}$/.test(code)

/** The error of a method of MirrorTarget. */
export const toTargetError =
  (operation: string) =>
  (failure: AzureFailure): MirrorTargetError.MirrorTargetError => {
    const [reason, sentence] = targetErrors[failure.meaning]
    const { code, status } = failure
    // What a connection dies of is not the target's word.
    const told = status === undefined ? undefined : isTold(code) ? code : `HTTP ${status}`
    const detail = told === undefined ? sentence : `${sentence} (${told})`
    return new MirrorTargetError.MirrorTargetError({ reason, operation, detail, cause: failure })
  }
