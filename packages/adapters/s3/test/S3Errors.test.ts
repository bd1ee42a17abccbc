import { assert, describe, it } from "@effect/vitest"
import { AddressRefused } from "@holdfast/outbound/AddressRefused"
import * as S3Errors from "../src/internal/S3Errors.ts"
import * as S3Failure from "../src/internal/S3Failure.ts"

/** Makes an error as the SDK throws it for an error response. */
const errorResponse = (name: string, httpStatusCode: number) =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode } })

const errno = (code: string) => Object.assign(new Error(code), { code, $metadata: { attempts: 3 } })

describe("S3Errors", () => {
  it.each([
    ["NotFound", "NotFound", errorResponse("NoSuchKey", 404)],
    ["NotFound", "NotFound", errorResponse("NotFound", 404)],
    ["NotFound", "NotFound", errorResponse("UnknownError", 404)],
    ["Internal", "NotFound", errorResponse("NoSuchBucket", 404)],
    ["Internal", "NotFound", errorResponse("PermanentRedirect", 301)],
    ["Unavailable", "Unavailable", errorResponse("NoSuchUpload", 404)],
    ["Internal", "Denied", errorResponse("AccessDenied", 403)],
    ["Internal", "Denied", errorResponse("SignatureDoesNotMatch", 403)],
    ["Internal", "Unavailable", errorResponse("RequestTimeTooSkewed", 403)],
    ["Internal", "Unavailable", errorResponse("PreconditionFailed", 412)],
    ["Internal", "Invalid", errorResponse("KeyTooLongError", 400)],
    ["Damaged", "Damaged", errorResponse("InvalidRange", 416)],
    ["Internal", "Internal", errorResponse("NotImplemented", 501)],
    ["Internal", "Refused", new AddressRefused({ host: "a" })],
    ["StorageFull", "Full", errorResponse("QuotaExceeded", 403)],
    ["StorageFull", "Full", errorResponse("XMinioStorageFull", 507)],
    ["StorageFull", "Full", errorResponse("UnknownError", 507)],
    ["StorageFull", "Invalid", errorResponse("EntityTooLarge", 400)],
    ["Unavailable", "Unavailable", errorResponse("SlowDown", 503)],
    ["Unavailable", "Unavailable", errorResponse("UnknownError", 503)],
    ["Unavailable", "Unavailable", errorResponse("InternalError", 500)],
    ["Unavailable", "Unavailable", errorResponse("UnknownError", 502)],
    ["Unavailable", "Unavailable", errorResponse("UnknownError", 504)],
    ["Unavailable", "Unavailable", errorResponse("TooManyRequests", 429)],
    ["Unavailable", "Unavailable", errorResponse("RequestTimeout", 400)],
    ["Unavailable", "Damaged", errorResponse("BadDigest", 400)],
    ["Unavailable", "Unavailable", Object.assign(new Error("no connection"), { name: "TimeoutError" })],
    ["Unavailable", "Unavailable", errno("ECONNREFUSED")],
    ["Unavailable", "Unavailable", errno("ECONNRESET")],
    ["Unavailable", "Unavailable", errno("EPIPE")],
    ["Unavailable", "Unavailable", errno("EAI_AGAIN")],
    ["Internal", "Internal", errno("CERT_HAS_EXPIRED")],
    ["Internal", "Internal", Object.assign(new Error("no keys"), { name: "CredentialsProviderError" })],
    ["Internal", "Internal", new TypeError("a bug")],
    ["Internal", "Internal", "a text"],
    ["Internal", "Internal", undefined],
    ["Internal", "Internal", null]
  ] as const)("store: %s, mirror target: %s, for %s", (blob, target, cause) => {
    const failure = S3Failure.fromCause(cause)
    const blobError = S3Errors.toBlobError("stat")(failure)
    assert.deepStrictEqual([blobError.reason, blobError.operation, blobError.cause], [blob, "stat", cause])
    const targetError = S3Errors.toTargetError([])("write")(failure)
    assert.deepStrictEqual([targetError.reason, targetError.operation, targetError.cause], [target, "write", undefined])
    assert.match(targetError.detail, /^\S.{3,400}[.)]$/u)
  })
})
