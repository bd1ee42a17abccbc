/**
 * Prevents stored files from acting with the authority of the service's origin. A browser renders a document in a sandbox:
 * without scripts, forms and the origin's storage.
 */

/** Exactly one media type with its parameters. Commas are allowed in quoted strings only. */
const wellFormed = /^([!#$%&'*+\-.^_`|~0-9a-z]+)\/([!#$%&'*+\-.^_`|~0-9a-z]+)[ \t]*(?:;(?:[^,"]|"(?:[^"\\]|\\.)*")*)?$/i

/** HTML, XHTML, SVG, XSLT and every XML type (RFC 7303): `xml`, `xml-dtd`, `anything+xml`. */
const markup = /(?:^|[.+-])(?:xhtml|html|xml|svg|xslt?|mathml)(?:$|[+-])/i

/**
 * Whether a content with this `Content-Type`, as it is finally sent, needs the sandbox. These types do:
 *
 * - types that a browser renders as a document with scripts (HTML, SVG and every XML type);
 * - `multipart/*` and `message/*`, whose parts may be such documents;
 * - malformed types, among them lists of several types, of which a browser uses the last;
 * - the types that the MIME Sniffing Standard treats as unknown.
 */
export const isSandboxed = (contentType: string): boolean => {
  const match = wellFormed.exec(contentType)
  if (match === null) return true
  const [, type = "", subtype = ""] = match
  switch (type.toLowerCase()) {
    case "*":
    case "unknown":
    case "multipart":
    case "message":
      return true
    default:
      return markup.test(subtype) || subtype.toLowerCase() === "unknown"
  }
}

/**
 * The `Content-Security-Policy` of a sandboxed content. `sandbox` disables scripts. The other directives prevent the page from
 * fetching anything: a stored page can set its own referrer policy, and its address, which may contain an API key, would be
 * sent as the referrer.
 */
export const policy =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:"
