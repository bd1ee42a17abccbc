/**
 * The `Cache-Control` of a content: for readers with permission, and for anyone.
 */

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"

/** One element of the list (RFC 9111, section 5.2); an empty one is allowed (RFC 9110, section 5.6.1.2). */
const element = new RegExp(`[ \\t]*(?:(${token})(=(?:${token}|"(?:[^"\\\\]|\\\\.)*"))?[ \\t]*)?(?:,|$)`, "y")

/**
 * Directives that permit a private cache no more than the user wants. `public` and `s-maxage` permit shared caches to store,
 * `private="field"` permits them to store all but one field, and unknown directives may permit anything.
 */
const kept = new Set([
  "immutable",
  "max-age",
  "must-revalidate",
  "must-understand",
  "no-cache",
  "no-store",
  "no-transform",
  "stale-if-error",
  "stale-while-revalidate"
])

/** For contents without a `Cache-Control` of their own: a private cache asks before each use whether the key is still valid. */
const standard = "private, no-cache"

/** Returns those directives of a value that are in a set; none for undefined and for a malformed value. */
const keepDirectives = (own: string | undefined, kept: ReadonlySet<string>): ReadonlyArray<string> => {
  if (own === undefined) return []
  const directives: Array<string> = []
  element.lastIndex = 0
  while (element.lastIndex < own.length) {
    const match = element.exec(own)
    if (match === null) return []
    const [, name, argument = ""] = match
    if (name !== undefined && kept.has(name.toLowerCase())) directives.push(name.toLowerCase() + argument)
  }
  return directives
}

/**
 * Returns the directives of a file's own `Cache-Control` with `private` instead of `public`: a shared cache would serve the
 * content to clients without a key. Returns `private, no-cache` for undefined, for a malformed value, and when no directive
 * remains.
 */
export const forReaders = (own: string | undefined): string => {
  const directives = keepDirectives(own, kept)
  return directives.length === 0 ? standard : `private, ${directives.join(", ")}`
}

/** For contents that anyone may read: these directives, too. */
const keptForAnyone = new Set([...kept, "public", "private", "s-maxage", "proxy-revalidate"])

/** For contents that anyone may read without a `Cache-Control` of their own: a cache asks before each use whether they still are. */
const standardForAnyone = "public, no-cache"

/**
 * Returns the directives of a file's own `Cache-Control` for a content that is read without a key. Returns `public, no-cache` for
 * undefined, for a malformed value, and when no directive remains.
 */
export const forAnyone = (own: string | undefined): string => {
  const directives = keepDirectives(own, keptForAnyone)
  return directives.length === 0 ? standardForAnyone : directives.join(", ")
}
