/**
 * Names of objects that Azure cannot store.
 *
 * https://learn.microsoft.com/rest/api/storageservices/naming-and-referencing-containers--blobs--and-metadata
 */

const maxLength = 1024
const maxSegments = 254

/** Returns the reason why no blob can have a name, as a sentence; undefined for a valid name. */
export const findFault = (name: string): string | undefined => {
  if (name === "") return "A name must not be empty."
  if (name.length > maxLength) return `Azure takes names of at most ${maxLength} characters.`
  const segments = name.split("/")
  if (segments.length > maxSegments) return `Azure takes names of at most ${maxSegments} segments.`
  // Azure drops such dots, so that two names would be one.
  if (segments.some((segment) => segment.endsWith(".")))
    return "Azure takes no names with a dot at the end of a segment."
  if (segments.at(-1) === "") return "Azure takes no names with a slash at the end."
  // Azure replaces a backslash by a slash.
  if (name.includes("\\")) return "Azure takes no names with a backslash."
  // Listings are XML, which has no such characters. Some services then fail to list the whole container.
  if (/[\ufffe\uffff]/.test(name)) return "Azure's listings take no names with the characters U+FFFE and U+FFFF."
  return /[\u0000-\u001f\u007f-\u009f]/.test(name) || !name.isWellFormed()
    ? "Azure takes no names with control characters."
    : undefined
}
