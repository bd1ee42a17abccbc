/**
 * The error of a connection that was not opened because of where it leads.
 */
import * as Data from "effect/Data"

const code = "ERR_ADDRESS_REFUSED"

/** Names what was asked for, and not which address that has: it may be told to whoever asked. */
export class AddressRefused extends Data.TaggedError("AddressRefused")<{
  /** The host as it was asked for. */
  readonly host: string
}> {
  /** Clients that wrap a connection's error mostly keep its code, and not always the error. */
  readonly code = code

  override get message(): string {
    return `${this.host} is not on the public Internet`
  }
}

/** What adapters tell whoever named the address. It says nothing of where that leads. */
export const detail = "The address is one that this deployment does not connect to."

/** Errors that an error tells of. */
const within = (error: object): ReadonlyArray<unknown> => {
  const errors: unknown = Reflect.get(error, "errors")
  return [Reflect.get(error, "cause"), ...(Array.isArray(errors) ? errors : [])]
}

/** Whether an error is a refusal, or was caused by one. */
export const isRefused = (error: unknown): boolean => {
  const seen = new Set<unknown>()
  const search = (error: unknown): boolean => {
    if (typeof error !== "object" || error === null || seen.has(error)) return false
    seen.add(error)
    return Reflect.get(error, "code") === code || within(error).some(search)
  }
  return search(error)
}
