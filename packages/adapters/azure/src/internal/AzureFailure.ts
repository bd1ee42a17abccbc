/**
 * Why a request failed: one classification for blob stores and mirror targets. `AzureErrors` maps it to the errors of
 * the two ports. The SDK's own errors hold the request with its signature, so they are not kept.
 */
import * as RemoteFailure from "@holdfast/core/storage/RemoteFailure"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as ConnectionFailure from "@holdfast/outbound/ConnectionFailure"
import { property } from "@holdfast/outbound/Property"
import * as ResponseFault from "@holdfast/outbound/ResponseFault"
import * as Data from "effect/Data"

/** `NoAccount`: no storage account can have this name. */
export type Kind = RemoteFailure.Kind | "NoAccount"

/** A request failed, or its response does not follow the protocol. */
export class AzureFailure extends Data.TaggedError("AzureFailure")<{
  readonly kind: Kind
  /** The service's error code, or the name of an errno. Undefined when there is none. */
  readonly code: string | undefined
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined
  readonly message: string
}> {}

/** Error codes whose status alone would be misleading. */
const codes: ReadonlyMap<string, Kind> = new Map([
  ["BlobNotFound", "NoObject"],
  ["ContainerNotFound", "NoBucket"],
  ["ContainerDisabled", "NoBucket"],
  ["ContainerBeingDeleted", "Unavailable"],
  ["AccountIsDisabled", "Denied"],
  ["ServerBusy", "Unavailable"],
  ["OperationTimedOut", "Unavailable"],
  // Blocks expired, or another blob was put meanwhile. The whole content may be sent again.
  ["InvalidBlockList", "Unavailable"],
  ["ConditionNotMet", "Changed"],
  ["Md5Mismatch", "Damaged"],
  ["Crc64Mismatch", "Damaged"],
  ["RequestBodyTooLarge", "TooLarge"],
  ["BlockCountExceedsLimit", "TooLarge"],
  ["BlockListTooLong", "TooLarge"],
  ["LeaseIdMissing", "Invalid"],
  ["BlobImmutableDueToPolicy", "Invalid"],
  ["BlobArchived", "Invalid"],
  ["BlobBeingRehydrated", "Invalid"],
  ["SnapshotsPresent", "Invalid"],
  ["InvalidBlobType", "Invalid"],
  ["MetadataTooLarge", "Invalid"],
  ["InvalidMetadata", "Invalid"],
  ["InvalidResourceName", "Invalid"],
  ["InvalidUri", "Invalid"],
  ["OutOfRangeInput", "Invalid"],
  // Of the SDK: the connection ended before the request, or before its answer.
  ["REQUEST_SEND_ERROR", "Unavailable"]
])

const statuses: ReadonlyMap<number, Kind> = new Map([...RemoteFailure.statuses, [413, "TooLarge"]])

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** Returns the code of the answer to a HEAD. That answer has no body; the code is in a header. */
const headerCode = (cause: unknown): string | undefined => {
  const headers = property(property(cause, "response"), "headers")
  const get = property(headers, "get")
  return typeof get === "function" ? textOf(Reflect.apply(get, headers, ["x-ms-error-code"])) : undefined
}

const kindOf = (cause: unknown, code: string | undefined, status: number | undefined): Kind => {
  if (AddressRefused.isRefused(cause)) return "Refused"
  const known = code === undefined ? undefined : codes.get(code)
  if (known !== undefined) return known
  if (status !== undefined) return statuses.get(status) ?? "Internal"
  // A parse error without a status: the body ended early, and nothing of the response could be read.
  return ConnectionFailure.isCode(code) || code === "PARSE_ERROR" ? "Unavailable" : "Internal"
}

/**
 * Returns a message for operators. Cuts off the rest of a long page, and removes a signature that the service repeats.
 */
const messageOf = (cause: unknown): string =>
  (textOf(property(cause, "message")) ?? "The request failed.").slice(0, 500).replaceAll(/sig=[^&\s"'<]*/gi, "sig=…")

/** Classifies an error that the SDK threw. */
export const fromCause = (cause: unknown): AzureFailure => {
  if (cause instanceof AzureFailure) return cause
  const fault = ResponseFault.find(cause)
  if (fault !== undefined) {
    return new AzureFailure({ kind: "Internal", code: fault.code, status: undefined, message: messageOf(cause) })
  }
  const statusCode = property(cause, "statusCode")
  const status = typeof statusCode === "number" ? statusCode : undefined
  const code = headerCode(cause) ?? textOf(property(cause, "code"))
  return new AzureFailure({ kind: kindOf(cause, code, status), code, status, message: messageOf(cause) })
}

/** Makes the failure of a body that was cut. The SDK's error for it has no code. */
export const fromBody = (cause: unknown): AzureFailure => make("Unavailable", messageOf(cause))

/** Returns whether an error is a failure of this package, and not one of the content. */
export const isFailure = (error: unknown): error is AzureFailure => error instanceof AzureFailure

/** Makes a failure that this package found. */
export const make = (kind: Kind, message: string): AzureFailure =>
  new AzureFailure({ kind, code: undefined, status: undefined, message })

/** Makes the failure of a response that does not follow the protocol. */
export const unexpected = (message: string): AzureFailure =>
  make("Internal", `The service answered unexpectedly: ${message}.`)

/** Makes the failures of the body of a response: of one that does not follow the protocol, was cut, or threw an error. */
export const bodyFailures = {
  unexpected,
  cut: (message: string): AzureFailure => make("Unavailable", message),
  fromBody
}
