/**
 * Names of objects that Google Cloud Storage cannot store (https://cloud.google.com/storage/docs/objects#naming).
 */
import { utf8Length } from "@holdfast/core/Text"

const maxBytes = 1024

/** Google's own load balancers prove the ownership of a domain under this prefix. */
const reserved = ".well-known/acme-challenge/"

/** Returns the reason why no object can have a name, as a sentence; undefined for a valid name. */
export const findFault = (name: string): string | undefined => {
  if (name === "") return "A name must not be empty."
  if (name === "." || name === "..") return "Google Cloud Storage takes no names that consist of dots."
  if (name.startsWith(reserved)) return `Google Cloud Storage takes no names that begin with ${reserved}.`
  if (/[\r\n]/.test(name)) return "Google Cloud Storage takes no names with line breaks."
  if (!name.isWellFormed()) return "Google Cloud Storage takes no names that are not well-formed Unicode."
  return utf8Length(name) > maxBytes ? `Google Cloud Storage takes names of at most ${maxBytes} bytes.` : undefined
}
