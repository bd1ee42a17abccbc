/**
 * Why a request failed.
 */
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as ConnectionFailure from "@holdfast/outbound/ConnectionFailure"
import * as Data from "effect/Data"

/**
 * - `Changed`: a precondition did not hold.
 * - `TooLarge`: more bytes than the service takes.
 * - `Invalid`: the service calls the request wrong.
 *
 * The others are as the ports have them.
 */
export type Kind =
  | "NoObject"
  | "NoBucket"
  | "Denied"
  | "Refused"
  | "Full"
  | "TooLarge"
  | "Unavailable"
  | "Damaged"
  | "Changed"
  | "Invalid"
  | "Internal"

export class GcsFailure extends Data.TaggedError("GcsFailure")<{
  readonly kind: Kind
  /** Without keys, tokens and addresses. */
  readonly detail: string
  readonly cause?: unknown
}> {}

/** An answer that is no success. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly status: number
  /** The word of the service for it, where it gives one. */
  readonly reason: string
  constructor(status: number, reason: string, message: string) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

/** Nothing moved over a connection, or it did not open. */
export class Timeout extends Error {
  override readonly name = "Timeout"
  readonly code = "ETIMEDOUT"
}

const reasons: ReadonlyMap<string, Kind> = new Map([
  ["rateLimitExceeded", "Unavailable"],
  ["userRateLimitExceeded", "Unavailable"],
  ["quotaExceeded", "Full"]
])

const statuses: ReadonlyMap<number, Kind> = new Map([
  [400, "Invalid"],
  [401, "Denied"],
  [403, "Denied"],
  [408, "Unavailable"],
  [409, "Unavailable"],
  // An upload's session: the whole content may be sent again.
  [410, "Unavailable"],
  [412, "Changed"],
  [413, "TooLarge"],
  [429, "Unavailable"],
  [500, "Unavailable"],
  [502, "Unavailable"],
  [503, "Unavailable"],
  [504, "Unavailable"],
  [507, "Full"]
])

const kindOfRefusal = ({ message, reason, status }: Refusal): Kind => {
  // The service tells bytes that were damaged on their way, and a missing bucket, by its words alone.
  if (status === 400 && /(md5|crc32c|checksum|hash).*match/i.test(message)) return "Damaged"
  if (status === 404) return /bucket does not exist/i.test(message) ? "NoBucket" : "NoObject"
  return (status === 403 ? reasons.get(reason) : undefined) ?? statuses.get(status) ?? "Internal"
}

const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const maxDetail = 300

/** The service's words on one line. */
const words = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, maxDetail)

/** The failure for whatever a request, or the body of an answer, threw. */
export const of = (cause: unknown): GcsFailure => {
  if (cause instanceof GcsFailure) return cause
  if (cause instanceof Refusal) {
    const detail = words(`The service answered ${cause.status}: ${cause.message}`)
    return new GcsFailure({ kind: kindOfRefusal(cause), detail, cause })
  }
  if (AddressRefused.isRefused(cause)) {
    return new GcsFailure({ kind: "Refused", detail: AddressRefused.detail, cause })
  }
  const code = property(cause, "code")
  return ConnectionFailure.isCode(code)
    ? new GcsFailure({ kind: "Unavailable", detail: `The connection failed (${code}).`, cause })
    : new GcsFailure({
        kind: "Internal",
        detail: typeof code === "string" ? `The request failed (${code}).` : "The request failed.",
        cause
      })
}

/** The same under another kind. */
export const as = ({ cause, detail }: GcsFailure, kind: Kind): GcsFailure => new GcsFailure({ kind, detail, cause })

/** The service answered, but not as the protocol has it. */
export const unexpected = (message: string): GcsFailure =>
  new GcsFailure({
    kind: "Internal",
    detail: `The service answered unexpectedly: ${message}.`,
    cause: new Error(message)
  })
