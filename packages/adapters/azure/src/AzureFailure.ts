/**
 * What went wrong with a request. The SDK's own errors hold the request, with its signature: they go no further than here.
 */
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as ConnectionFailure from "@holdfast/outbound/ConnectionFailure"
import * as Data from "effect/Data"

/**
 * - `Missing`: no blob has this name.
 * - `NoAccount`: no storage account can have this name.
 * - `NoContainer`: there is no container of this name.
 * - `Denied`: the credentials are wrong, expired, or not enough.
 * - `Refused`: the address is one that is not connected to.
 * - `Unavailable`: the service does not answer, asks to come again later, or somebody was quicker.
 * - `Full`: no room is left.
 * - `TooLarge`: the service does not take so many bytes or blocks in one blob.
 * - `Blocked`: something about this one blob forbids it, such as a lease.
 * - `Damaged`: the bytes that arrived are not those that were sent.
 * - `Other`: anything else.
 */
export type Meaning =
  | "Missing"
  | "NoAccount"
  | "NoContainer"
  | "Denied"
  | "Refused"
  | "Unavailable"
  | "Full"
  | "TooLarge"
  | "Blocked"
  | "Damaged"
  | "Other"

export class AzureFailure extends Data.TaggedError("AzureFailure")<{
  readonly meaning: Meaning
  /** The service's code, or an errno's name. */
  readonly code: string | undefined
  /** Of HTTP. */
  readonly status: number | undefined
  readonly message: string
}> {}

/** What the service says, where its status alone would mislead. */
const codes: ReadonlyMap<string, Meaning> = new Map([
  ["BlobNotFound", "Missing"],
  ["ContainerNotFound", "NoContainer"],
  ["ContainerDisabled", "NoContainer"],
  ["ContainerBeingDeleted", "Unavailable"],
  ["AccountIsDisabled", "Denied"],
  ["ServerBusy", "Unavailable"],
  ["OperationTimedOut", "Unavailable"],
  // Blocks expired, or another blob was put meanwhile: the whole content may be put again.
  ["InvalidBlockList", "Unavailable"],
  ["ConditionNotMet", "Unavailable"],
  ["Md5Mismatch", "Damaged"],
  ["Crc64Mismatch", "Damaged"],
  ["RequestBodyTooLarge", "TooLarge"],
  ["BlockCountExceedsLimit", "TooLarge"],
  ["BlockListTooLong", "TooLarge"],
  ["LeaseIdMissing", "Blocked"],
  ["BlobImmutableDueToPolicy", "Blocked"],
  ["BlobArchived", "Blocked"],
  ["BlobBeingRehydrated", "Blocked"],
  ["SnapshotsPresent", "Blocked"],
  ["InvalidBlobType", "Blocked"],
  ["MetadataTooLarge", "Blocked"],
  ["InvalidMetadata", "Blocked"],
  ["InvalidResourceName", "Blocked"],
  ["InvalidUri", "Blocked"],
  ["OutOfRangeInput", "Blocked"],
  // Of the SDK: the connection ended before the request, or before its answer.
  ["REQUEST_SEND_ERROR", "Unavailable"]
])

const statuses: ReadonlyMap<number, Meaning> = new Map([
  [401, "Denied"],
  [403, "Denied"],
  [404, "Missing"],
  [408, "Unavailable"],
  [412, "Unavailable"],
  [413, "TooLarge"],
  [429, "Unavailable"],
  [500, "Unavailable"],
  [502, "Unavailable"],
  [503, "Unavailable"],
  [504, "Unavailable"],
  [507, "Full"]
])

const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** The answer to a HEAD has no body, and says what is wrong in a header. */
const headerCode = (cause: unknown): string | undefined => {
  const headers = property(property(cause, "response"), "headers")
  const get = property(headers, "get")
  return typeof get === "function" ? text(Reflect.apply(get, headers, ["x-ms-error-code"])) : undefined
}

const meaningOf = (cause: unknown, code: string | undefined, status: number | undefined): Meaning => {
  if (AddressRefused.isRefused(cause)) return "Refused"
  const told = code === undefined ? undefined : codes.get(code)
  if (told !== undefined) return told
  if (status !== undefined) return statuses.get(status) ?? "Other"
  // A body that ended before its time: nothing of an answer could be read.
  return ConnectionFailure.isCode(code) || code === "PARSE_ERROR" ? "Unavailable" : "Other"
}

/** Enough for an operator; a page of a proxy's is cut, and a signature that it may repeat is taken out. */
const messageOf = (cause: unknown): string =>
  (text(property(cause, "message")) ?? "The request failed.").slice(0, 500).replaceAll(/sig=[^&\s"'<]*/gi, "sig=…")

/** For whatever the SDK threw. */
export const from = (cause: unknown): AzureFailure => {
  if (cause instanceof AzureFailure) return cause
  const status = property(cause, "statusCode")
  const told = typeof status === "number" ? status : undefined
  const code = headerCode(cause) ?? text(property(cause, "code"))
  return new AzureFailure({
    meaning: meaningOf(cause, code, told),
    code,
    status: told,
    message: messageOf(cause)
  })
}

/** For a body that broke off: the SDK says so in a way of its own, without a code. */
export const fromBody = (cause: unknown): AzureFailure =>
  new AzureFailure({ meaning: "Unavailable", code: undefined, status: undefined, message: messageOf(cause) })

export const of = (meaning: Meaning, message: string): AzureFailure =>
  new AzureFailure({ meaning, code: undefined, status: undefined, message })

/** The service answered, but not as the protocol has it. */
export const unexpected = (message: string): AzureFailure => of("Other", message)
