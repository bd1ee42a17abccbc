/**
 * Finds what makes a URL invalid for every operation. The router decodes paths and queries leniently: it would replace invalid
 * UTF-8 by other characters, and decode any number of parameters.
 */

/** The most parameters of a query. No operation has more than 16. */
const maxParameters = 100

/** Whether percent-encoded bytes are UTF-8. A `%` that encodes nothing is a literal one (WHATWG URL, section 1.3). */
const isUtf8 = (text: string): boolean =>
  (text.match(/(?:%[0-9a-f]{2})+/gi) ?? []).every((encoded) => {
    try {
      decodeURIComponent(encoded)
      return true
    } catch {
      return false
    }
  })

/** Returns the fault of a URL (a path with or without a query) as a sentence; undefined for none. */
export const find = (url: string): string | undefined => {
  const start = url.indexOf("?")
  const isEncoded = url.includes("%")
  // No stored text contains NUL, and PostgreSQL refuses a parameter that does.
  if (isEncoded && url.includes("%00")) return "The URL must not contain NUL (%00)."
  if (start < 0) return undefined
  if (isEncoded && !isUtf8(url.slice(start))) return "The query must be percent-encoded UTF-8."
  let parameters = 1
  for (let at = url.indexOf("&", start); at >= 0; at = url.indexOf("&", at + 1)) parameters++
  return parameters > maxParameters ? `The query must have at most ${maxParameters} parameters.` : undefined
}
