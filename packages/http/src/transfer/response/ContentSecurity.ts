/**
 * Keeps a stored file from acting in the name of the service's origin: a browser that renders one gets it in a sandbox,
 * without scripts, forms, or the origin's storage.
 */

/** One media type with its parameters, and nothing beside it. A comma may stand in quotes alone. */
const wellFormed = /^([!#$%&'*+\-.^_`|~0-9a-z]+)\/([!#$%&'*+\-.^_`|~0-9a-z]+)[ \t]*(?:;(?:[^,"]|"(?:[^"\\]|\\.)*")*)?$/i

/** HTML, XHTML, SVG, XSLT and every XML type (RFC 7303): `xml`, `xml-dtd`, `anything+xml`. */
const markup = /(?:^|[.+-])(?:xhtml|html|xml|svg|xslt?|mathml)(?:$|[+-])/i

/**
 * Whether a content of this type, as it is finally sent, goes into a sandbox: what a browser renders as a document with
 * scripts, and what it may take for one:
 *
 * - `multipart/*` and `message/*`, whose parts may be documents;
 * - types that cannot be read, among them a list of several, of which a browser takes the last;
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
 * What a sandboxed content is sent with. The sandbox keeps scripts off; the rest keeps the page from fetching anything
 * elsewhere: a stored page may ask for full referrers, and the address that it was viewed at may hold a key.
 */
export const policy =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:"
