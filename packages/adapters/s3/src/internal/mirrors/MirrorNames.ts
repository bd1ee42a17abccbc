/**
 * Names of objects that S3 cannot store.
 */
import { utf8Length } from "@holdfast/core/Text"

/** S3's limit. */
const maxKeyBytes = 1024

/** Returns the reason why no object can have a name, as a sentence; undefined for a valid name. */
export const findFault = (name: string): string | undefined => {
  if (name === "") return "A name must not be empty."
  if (!name.isWellFormed()) return "S3 takes no names that are not well-formed Unicode."
  return utf8Length(name) > maxKeyBytes ? `Path and name together have more than ${maxKeyBytes} bytes.` : undefined
}
