/**
 * The checksum of a request's body. Over TLS it is the Content-MD5, and the body goes unsigned, as in other SDKs of
 * Amazon: a SHA-256 would cost another pass for nothing. Without TLS the signature covers the SHA-256, which the
 * service verifies; where the SHA-256 is known already, the SDK does not hash the body again.
 */
import type * as Sdk from "@aws-sdk/client-s3"

const header = "x-amz-content-sha256"

const known = new WeakMap<Uint8Array, string>()

/** Supplies the SHA-256 of a body, hexadecimal. The body must not change until it was sent. */
export const set = (body: Uint8Array, sha256: string): void => {
  known.set(body, sha256)
}

/** The fields of a request that are read here. */
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

/** Has a client sign every request with these checksums. */
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
