/**
 * The `Content-Security-Policy` of stored contents. Files come from users who are not their readers, and the address of a
 * content may contain the reader's API key. The policy prevents a content from sending requests to other origins, and a
 * document from acting with the authority of the service's origin.
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
 * For documents. `sandbox` disables scripts, forms and the origin's storage. The other directives prevent the page from
 * fetching anything: a stored page can set its own referrer policy, and its address would be sent as the referrer.
 */
const sandboxed =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:"

/**
 * For all other contents. A browser shows text, images, media and PDF in documents of its own: their style is inline, and the
 * document of a media file or of a PDF loads the content once more, from its own address.
 */
const passive =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; object-src 'self'; base-uri 'none'; form-action 'none'"

/** Returns the `Content-Security-Policy` of a content with this `Content-Type`, as it is finally sent. */
export const policyOf = (contentType: string): string => (isSandboxed(contentType) ? sandboxed : passive)
