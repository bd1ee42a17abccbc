/**
 * The checksum that a body is sent with. Over TLS that is its Content-MD5, and it goes unsigned, as other SDKs of Amazon
 * have it: a SHA-256 besides would cost another pass, in vain. Without TLS the signature is over the SHA-256, which the
 * service verifies, and where that is known already the SDK does not hash the body again.
 */
import type * as Sdk from "@aws-sdk/client-s3"

const header = "x-amz-content-sha256"

const known = new WeakMap<Uint8Array, string>()

/** Tells the SHA-256 of a body, hexadecimal, which stays as it is until the body was sent. */
export const tell = (body: Uint8Array, sha256: string): void => {
  known.set(body, sha256)
}

/** As much of a request as is looked at. */
interface Request {
  readonly protocol: string
  readonly headers: Record<string, string>
  readonly body: unknown
}

const isRequest = (value: unknown): value is Request =>
  typeof value === "object" && value !== null && "protocol" in value && "headers" in value && "body" in value

const hashOf = ({ body, headers, protocol }: Request): string | undefined => {
  if (!(body instanceof Uint8Array)) return undefined
  return known.get(body) ?? (protocol === "https:" && "content-md5" in headers ? "UNSIGNED-PAYLOAD" : undefined)
}

/** Has all requests of a client signed so. */
export const install = ({ middlewareStack }: Sdk.S3Client): void => {
  middlewareStack.add(
    (next) => (args) => {
      const { request } = args
      const hash = isRequest(request) ? hashOf(request) : undefined
      if (isRequest(request) && hash !== undefined) request.headers[header] = hash
      return next(args)
    },
    { name: "holdfastPayloadHash", step: "build" }
  )
}
