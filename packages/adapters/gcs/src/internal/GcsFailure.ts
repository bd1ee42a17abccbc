/**
 * Why a request failed: one classification for blob stores and mirror targets. `GcsErrors` maps it to the errors of the
 * two ports.
 */
import * as RemoteFailure from "@holdfast/core/storage/RemoteFailure"
import * as Text from "@holdfast/core/Text"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as ConnectionFailure from "@holdfast/outbound/ConnectionFailure"
import { property } from "@holdfast/outbound/Property"
import * as ResponseFault from "@holdfast/outbound/ResponseFault"
import * as Data from "effect/Data"

/** A request failed, or its response does not follow the protocol. */
export class GcsFailure extends Data.TaggedError("GcsFailure")<{
  readonly kind: RemoteFailure.Kind
  /** A sentence without keys, tokens and addresses. */
  readonly message: string
  readonly cause?: unknown
}> {}

/** A response whose status is an error. */
export class ErrorResponse extends Error {
  override readonly name = "ErrorResponse"
  readonly status: number
  /** The service's error code; empty when it sent none. */
  readonly reason: string
  constructor(status: number, reason: string, message: string) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

/** A connection did not open in time, or transferred nothing for too long. */
export class Timeout extends Error {
  override readonly name = "Timeout"
  readonly code = "ETIMEDOUT"
}

/** Error codes of a 403 that do not mean missing permissions. */
const reasons: ReadonlyMap<string, RemoteFailure.Kind> = new Map([
  ["rateLimitExceeded", "Unavailable"],
  ["userRateLimitExceeded", "Unavailable"],
  ["quotaExceeded", "Full"]
])

const statuses: ReadonlyMap<number, RemoteFailure.Kind> = new Map([
  ...RemoteFailure.statuses,
  [400, "Invalid"],
  [409, "Unavailable"],
  // The session of an upload is gone. The whole content may be sent again.
  [410, "Unavailable"],
  [413, "TooLarge"]
])

/** Whether a message is about a checksum that does not match. It has up to 256 KiB, and therefore is searched only once for each word. */
const isMismatch = (message: string): boolean => {
  const at = message.search(/md5|crc32c|checksum|hash/i)
  return at >= 0 && /match/i.test(message.slice(at))
}

const kindOf = ({ message, reason, status }: ErrorResponse): RemoteFailure.Kind => {
  // Only the message distinguishes damaged bytes and a missing bucket from other errors.
  if (status === 400 && isMismatch(message)) return "Damaged"
  if (status === 404) return /bucket does not exist/i.test(message) ? "NoBucket" : "NoObject"
  return (status === 403 ? reasons.get(reason) : undefined) ?? statuses.get(status) ?? "Internal"
}

const maxMessage = 300

/** Classifies an error that a request, or the body of a response, threw. */
export const fromCause = (cause: unknown): GcsFailure => {
  if (cause instanceof GcsFailure) return cause
  if (cause instanceof ErrorResponse) {
    const message = Text.toLine(`The service answered ${cause.status}: ${cause.message}`, maxMessage)
    return new GcsFailure({ kind: kindOf(cause), message, cause })
  }
  if (AddressRefused.isRefused(cause)) {
    return new GcsFailure({ kind: "Refused", message: AddressRefused.detail, cause })
  }
  const fault = ResponseFault.find(cause)
  if (fault !== undefined) return new GcsFailure({ kind: "Internal", message: fault.detail, cause })
  const code = property(cause, "code")
  return ConnectionFailure.isCode(code)
    ? new GcsFailure({ kind: "Unavailable", message: `The connection failed (${code}).`, cause })
    : new GcsFailure({
        kind: "Internal",
        message: typeof code === "string" ? `The request failed (${code}).` : "The request failed.",
        cause
      })
}

/** Returns whether an error is a failure of this package, and not one of the content. */
export const isFailure = (error: unknown): error is GcsFailure => error instanceof GcsFailure

/** Makes a failure that this package found. `message` is a sentence. */
export const make = (kind: RemoteFailure.Kind, message: string): GcsFailure => new GcsFailure({ kind, message })

/** Makes the failure of a response that does not follow the protocol. */
export const unexpected = (message: string): GcsFailure =>
  new GcsFailure({
    kind: "Internal",
    message: `The service answered unexpectedly: ${message}.`,
    cause: new Error(message)
  })

/** Returns the same failure with another kind. */
export const withKind = ({ cause, message }: GcsFailure, kind: RemoteFailure.Kind): GcsFailure =>
  new GcsFailure({ kind, message, cause })

/** Makes the failures of the body of a response: of one that does not follow the protocol, was cut, or threw an error. */
export const bodyFailures = {
  unexpected,
  cut: (message: string): GcsFailure => make("Unavailable", message),
  fromBody: fromCause
}
