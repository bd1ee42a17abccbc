/**
 * The error of a connection that was not opened because its address is not public, or because its name has no address:
 * the error does not show which.
 */
import * as Data from "effect/Data"
import { property } from "./Property.ts"

const code = "ERR_ADDRESS_REFUSED"

/**
 * Names the host that was requested, and not the address that it resolves to: the user who requested it may see the
 * error.
 */
export class AddressRefused extends Data.TaggedError("AddressRefused")<{
  /** The host as it was requested. */
  readonly host: string
}> {
  /** Most clients that wrap the error of a connection keep its code; not all keep the error itself. */
  readonly code = code

  override get message(): string {
    return `${this.host} is not on the public Internet`
  }
}

/** The error text of every adapter for a refused address. It reveals neither whether a name exists nor its address. */
export const detail =
  "The host is no address on the public Internet, nor a name of one. This deployment connects to no other addresses."

/** Returns the errors that an error wraps: its cause, and the members of an `AggregateError`. */
const wrapped = (error: unknown): ReadonlyArray<unknown> => {
  const errors = property(error, "errors")
  return [property(error, "cause"), ...(Array.isArray(errors) ? errors : [])]
}

/** Returns whether an error is an `AddressRefused`, or wraps one. */
export const isRefused = (error: unknown): boolean => {
  const seen = new Set<unknown>()
  const search = (error: unknown): boolean => {
    if (typeof error !== "object" || error === null || seen.has(error)) return false
    seen.add(error)
    return property(error, "code") === code || wrapped(error).some(search)
  }
  return search(error)
}
