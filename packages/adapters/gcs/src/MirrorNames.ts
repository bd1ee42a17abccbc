/**
 * Names of objects that Google Cloud Storage cannot hold (https://cloud.google.com/storage/docs/objects#naming).
 */
import { utf8Length } from "@holdfast/core/Text"

const maxBytes = 1024

/** Where Google's own load balancers prove who owns a domain. */
const reserved = ".well-known/acme-challenge/"

/** Why no object can have a name; undefined when one can. */
export const fault = (name: string): string | undefined => {
  if (name === "") return "A name must not be empty."
  if (name === "." || name === "..") return "Google Cloud Storage takes no names of dots alone."
  if (name.startsWith(reserved)) return `Google Cloud Storage takes no names that begin with ${reserved}.`
  if (/[\r\n]/.test(name)) return "Google Cloud Storage takes no names with line breaks."
  if (!name.isWellFormed()) return "Google Cloud Storage takes no names that are not Unicode."
  return utf8Length(name) > maxBytes ? `Google Cloud Storage takes names of at most ${maxBytes} bytes.` : undefined
}
