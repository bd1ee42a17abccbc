/**
 * Faults of inputs. Their texts may contain text of the caller, so that they are bounded.
 */

/** A fault in an input: the field (a JSON Pointer, RFC 6901) and what is wrong with it. */
export interface Fault {
  readonly pointer: string
  readonly detail: string
}

const maxText = 400

const escapeToken = (key: PropertyKey): string => String(key).replaceAll("~", "~0").replaceAll("/", "~1")

/** Returns a text of at most 400 characters that is well-formed. */
export const shorten = (text: string): string =>
  (text.length <= maxText ? text : `${text.slice(0, maxText - 1)}…`).toWellFormed()

/** Returns the JSON Pointer (RFC 6901) of a path. */
export const pointerTo = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  shorten(path.map((step) => `/${escapeToken(typeof step === "object" ? step.key : step)}`).join(""))
