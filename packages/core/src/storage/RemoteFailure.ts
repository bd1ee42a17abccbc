/**
 * Why a request to an object store failed. The adapters of object stores classify the errors of their services by these
 * kinds, and map them to the errors of the ports.
 */
import * as Effect from "effect/Effect"
import type * as BlobError from "./BlobError.ts"

/**
 * - `NoObject`: the object does not exist. Some services report a missing bucket in the same way.
 * - `NoBucket`: the bucket or container does not exist.
 * - `Denied`: the credentials are wrong, expired, or do not permit the operation.
 * - `Refused`: this deployment does not connect to the address.
 * - `Unavailable`: the service does not answer, or asks for a retry.
 * - `Full`: a quota is reached, or no space is left.
 * - `TooLarge`: the service does not store that many bytes or parts in one object.
 * - `Invalid`: the service cannot store or change this object, whatever is retried: its name, its metadata, a lease.
 * - `Damaged`: the bytes that arrived are not the bytes that were sent.
 * - `OutOfRange`: the object has fewer bytes than the requested range needs.
 * - `Changed`: the object changed between two requests.
 * - `Internal`: any other failure.
 */
export type Kind =
  | "NoObject"
  | "NoBucket"
  | "Denied"
  | "Refused"
  | "Unavailable"
  | "Full"
  | "TooLarge"
  | "Invalid"
  | "Damaged"
  | "OutOfRange"
  | "Changed"
  | "Internal"

/**
 * The reasons of BlobError. A missing bucket and wrong credentials are faults of the configuration, not of one blob.
 */
export const blobReasons: { readonly [K in Kind]: BlobError.Reason } = {
  NoObject: "NotFound",
  NoBucket: "Internal",
  Denied: "Internal",
  Refused: "Internal",
  Unavailable: "Unavailable",
  Full: "StorageFull",
  TooLarge: "StorageFull",
  Invalid: "Internal",
  Damaged: "Unavailable",
  OutOfRange: "Damaged",
  Changed: "Unavailable",
  Internal: "Internal"
}

/** The kinds of responses whose status means the same in all services. */
export const statuses: ReadonlyMap<number, Kind> = new Map([
  [401, "Denied"],
  [403, "Denied"],
  [404, "NoObject"],
  [408, "Unavailable"],
  [412, "Changed"],
  [416, "OutOfRange"],
  [429, "Unavailable"],
  [500, "Unavailable"],
  [502, "Unavailable"],
  [503, "Unavailable"],
  [504, "Unavailable"],
  [507, "Full"]
])

/** Maps the failures of an adapter, and leaves other errors unchanged, such as those of a content. */
export const mapFailure =
  <F, E>(isFailure: (error: unknown) => error is F, toError: (failure: F) => E) =>
  <A, E2, R>(self: Effect.Effect<A, F | E2, R>): Effect.Effect<A, E | E2, R> =>
    Effect.mapError(self, (error) => (isFailure(error) ? toError(error) : error))
