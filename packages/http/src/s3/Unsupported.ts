/**
 * Headers and parameters that ask for what this server does not do. A request with one is refused: to ignore it would store a content
 * without the encryption, the lock or the condition that the client relies on, or read another version than the one it names.
 */
import { type S3Code, S3Error } from "./S3Error.ts"

interface Refused {
  /** In lower case; a name that ends with a hyphen is the beginning of several. */
  readonly name: string
  readonly code: S3Code
  readonly message: string
  /** The values that have no effect here either. */
  readonly permits?: RegExp
}

const encryption =
  "Encryption with keys of the client or of a key service is not supported. Encrypt the content before the upload."
const noLock = "Bucket is missing Object Lock Configuration"

/** The error of Amazon S3 for the retention of an object in a bucket without object lock. */
export const noObjectLock = S3Error.of("InvalidRequest", noLock)

const otherBuckets = "is only supported by directory buckets of Amazon S3."

/** The first that fits counts. */
const refused: ReadonlyArray<Refused> = [
  {
    name: "x-amz-server-side-encryption-bucket-key-enabled",
    code: "NotImplemented",
    message: encryption,
    permits: /^false$/i
  },
  { name: "x-amz-server-side-encryption-", code: "NotImplemented", message: encryption },
  { name: "x-amz-copy-source-server-side-encryption-", code: "NotImplemented", message: encryption },
  { name: "x-amz-server-side-encryption", code: "NotImplemented", message: encryption, permits: /^(?:AES256)?$/ },
  { name: "x-amz-object-lock-", code: "InvalidRequest", message: noLock },
  {
    name: "x-amz-bucket-object-lock-enabled",
    code: "NotImplemented",
    message: "Object lock is not supported.",
    permits: /^false$/i
  },
  {
    name: "x-amz-website-redirect-location",
    code: "NotImplemented",
    message: "Website hosting, and so the redirection of an object, is not supported."
  },
  { name: "x-amz-write-offset-bytes", code: "NotImplemented", message: `Appending ${otherBuckets}` },
  { name: "x-amz-if-match-", code: "NotImplemented", message: `A deletion under this condition ${otherBuckets}` }
]

const noVersion = S3Error.of("NoSuchVersion")

/** Returns the error of headers that ask for what this server does not do; undefined for any other. Names are in lower case. */
export const findHeader = (headers: Readonly<Record<string, string | undefined>>): S3Error | undefined => {
  for (const header in headers) {
    // Few headers begin so. This runs for each request.
    if (!header.startsWith("x-amz-")) continue
    const found = refused.find(({ name }) => (name.endsWith("-") ? header.startsWith(name) : header === name))
    if (found !== undefined && found.permits?.test(headers[header] ?? "") !== true) {
      return S3Error.of(found.code, found.message)
    }
  }
  return undefined
}

/** Returns the error of a version that no object has; undefined for none and for `null`, the version of every object. */
export const findVersion = (versionId: string | undefined): S3Error | undefined =>
  versionId === undefined || versionId === "null" ? undefined : noVersion
