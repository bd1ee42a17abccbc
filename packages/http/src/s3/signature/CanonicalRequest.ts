/**
 * The canonical form of a request, over which it is signed.
 *
 * Source: "Create a signed AWS API request" of the AWS IAM user guide; for S3 the path is encoded once.
 */

/** The parts of a request that are signed. */
export interface SignedParts {
  readonly method: string
  /** The path in canonical form. */
  readonly path: string
  /** The query in canonical form. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The names of the signed headers, as the client states them, joined with `;`. */
  readonly signedHeaders: string
  /** The digest of the payload, or the name of the way in which it is signed. */
  readonly payloadHash: string
}

/** Encodes all bytes but the unreserved ones of RFC 3986. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

const isCanonicalPath = /^[A-Za-z0-9\-._~/]*$/

/** Returns the path in canonical form. The path can be decoded: `Address.parse` has done it. */
export const canonicalPath = (path: string): string =>
  isCanonicalPath.test(path) ? path : decodeURIComponent(path).split("/").map(encode).join("/")

/** Returns a query in canonical form: decoded, encoded, sorted, without the signature itself. */
export const canonicalQuery = (query: string): string => {
  if (query === "") return ""
  const pairs: Array<readonly [string, string]> = []
  for (const pair of query.split("&")) {
    if (pair === "") continue
    const at = pair.indexOf("=")
    const name = encode(decodeURIComponent((at < 0 ? pair : pair.slice(0, at)).replaceAll("+", " ")))
    if (name === "X-Amz-Signature") continue
    pairs.push([name, at < 0 ? "" : encode(decodeURIComponent(pair.slice(at + 1).replaceAll("+", " ")))])
  }
  pairs.sort(([name, value], [otherName, otherValue]) =>
    name === otherName ? (value < otherValue ? -1 : value > otherValue ? 1 : 0) : name < otherName ? -1 : 1
  )
  return pairs.map(([name, value]) => `${name}=${value}`).join("&")
}

/** Returns the canonical form of a request. */
export const write = ({ headers, method, path, payloadHash, query, signedHeaders }: SignedParts): string => {
  let lines = ""
  for (const name of signedHeaders.split(";")) {
    // A client may name any header, also one that every object inherits.
    const value = Object.hasOwn(headers, name) ? (headers[name] ?? "") : ""
    lines += `${name}:${value.trim().replaceAll(/ +/g, " ")}\n`
  }
  return `${method}\n${path}\n${query}\n${lines}\n${signedHeaders}\n${payloadHash}`
}
