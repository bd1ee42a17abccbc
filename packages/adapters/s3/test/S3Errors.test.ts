import { assert, describe, it } from "@effect/vitest"
import * as S3Errors from "../src/S3Errors.ts"
import * as S3Failure from "../src/S3Failure.ts"

/** An error as the SDK throws it. */
const answered = (name: string, httpStatusCode: number) =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode } })

const errno = (code: string) => Object.assign(new Error(code), { code, $metadata: { attempts: 3 } })

describe("S3Errors", () => {
  it.each([
    ["NotFound", answered("NoSuchKey", 404)],
    ["NotFound", answered("NotFound", 404)],
    ["NotFound", answered("UnknownError", 404)],
    ["Internal", answered("NoSuchBucket", 404)],
    ["Unavailable", answered("NoSuchUpload", 404)],
    ["Internal", answered("AccessDenied", 403)],
    ["Internal", answered("SignatureDoesNotMatch", 403)],
    ["Internal", answered("InvalidRange", 416)],
    ["Internal", answered("NotImplemented", 501)],
    ["StorageFull", answered("QuotaExceeded", 403)],
    ["StorageFull", answered("XMinioStorageFull", 507)],
    ["StorageFull", answered("UnknownError", 507)],
    ["StorageFull", answered("EntityTooLarge", 400)],
    ["Unavailable", answered("SlowDown", 503)],
    ["Unavailable", answered("UnknownError", 503)],
    ["Unavailable", answered("InternalError", 500)],
    ["Unavailable", answered("UnknownError", 502)],
    ["Unavailable", answered("UnknownError", 504)],
    ["Unavailable", answered("TooManyRequests", 429)],
    ["Unavailable", answered("RequestTimeout", 400)],
    ["Unavailable", answered("BadDigest", 400)],
    ["Unavailable", Object.assign(new Error("no connection"), { name: "TimeoutError" })],
    ["Unavailable", errno("ECONNREFUSED")],
    ["Unavailable", errno("ECONNRESET")],
    ["Unavailable", errno("EPIPE")],
    ["Unavailable", errno("EAI_AGAIN")],
    ["Internal", errno("CERT_HAS_EXPIRED")],
    ["Internal", Object.assign(new Error("no keys"), { name: "CredentialsProviderError" })],
    ["Internal", new TypeError("a bug")],
    ["Internal", "a text"],
    ["Internal", undefined],
    ["Internal", null]
  ] as const)("is %s for %s", (reason, cause) => {
    const error = S3Errors.toBlobError("stat")(S3Failure.fromCause(cause))
    assert.deepStrictEqual([error.reason, error.operation, error.cause], [reason, "stat", cause])
  })
})
