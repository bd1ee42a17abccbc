import { RestError } from "@azure/storage-blob"
import { assert, describe, it } from "@effect/vitest"
import { AddressRefused } from "@holdfast/outbound/AddressRefused"
import * as AzureErrors from "../src/AzureErrors.ts"
import * as AzureFailure from "../src/AzureFailure.ts"

/** An error as the SDK throws it for an answer with a body. */
const answered = (code: string, statusCode: number) => new RestError("No.", { code, statusCode })

/** The answer to a HEAD has a header alone. */
const header = (code: string, statusCode: number) =>
  Object.assign(new RestError("No.", { statusCode }), {
    response: { headers: new Map([["x-ms-error-code", code]]), status: statusCode }
  })

const errno = (code: string) => new RestError(code, { code })

describe("AzureErrors", () => {
  it.each([
    ["NotFound", "NotFound", answered("BlobNotFound", 404)],
    ["NotFound", "NotFound", header("BlobNotFound", 404)],
    ["NotFound", "NotFound", new RestError("No.", { statusCode: 404 })],
    ["Internal", "NotFound", answered("ContainerNotFound", 404)],
    ["Internal", "NotFound", header("ContainerNotFound", 404)],
    ["Internal", "Denied", answered("AuthenticationFailed", 403)],
    ["Internal", "Denied", answered("AuthorizationPermissionMismatch", 403)],
    ["Internal", "Denied", answered("NoAuthenticationInformation", 401)],
    ["Internal", "Refused", new RestError("no", { code: new AddressRefused({ host: "a" }).code })],
    ["Internal", "Refused", new AddressRefused({ host: "a" })],
    ["StorageFull", "Full", answered("InsufficientStorage", 507)],
    ["StorageFull", "Invalid", answered("RequestBodyTooLarge", 413)],
    ["StorageFull", "Invalid", answered("BlockCountExceedsLimit", 409)],
    ["Internal", "Invalid", answered("LeaseIdMissing", 412)],
    ["Internal", "Invalid", answered("SnapshotsPresent", 409)],
    ["Internal", "Invalid", answered("BlobImmutableDueToPolicy", 409)],
    ["Unavailable", "Damaged", answered("Md5Mismatch", 400)],
    ["Unavailable", "Unavailable", answered("ConditionNotMet", 412)],
    ["Unavailable", "Unavailable", answered("InvalidBlockList", 400)],
    ["Unavailable", "Unavailable", answered("ServerBusy", 503)],
    ["Unavailable", "Unavailable", answered("OperationTimedOut", 500)],
    ["Unavailable", "Unavailable", new RestError("No.", { statusCode: 502 })],
    ["Unavailable", "Unavailable", new RestError("No.", { statusCode: 429 })],
    ["Unavailable", "Unavailable", errno("ECONNREFUSED")],
    ["Unavailable", "Unavailable", errno("ENOTFOUND")],
    ["Unavailable", "Unavailable", errno(RestError.REQUEST_SEND_ERROR)],
    ["Unavailable", "Unavailable", errno(RestError.PARSE_ERROR)],
    ["Internal", "Internal", new RestError("No.", { code: RestError.PARSE_ERROR, statusCode: 200 })],
    ["Internal", "Internal", answered("InvalidRange", 416)],
    ["Internal", "Internal", new RestError("No.", { statusCode: 307 })],
    ["Internal", "Internal", errno("CERT_HAS_EXPIRED")],
    ["Internal", "Internal", new TypeError("a bug")],
    ["Internal", "Internal", "a text"],
    ["Internal", "Internal", undefined],
    ["Internal", "Internal", null]
  ] as const)("is %s for a store and %s for a target: %s", (blob, target, cause) => {
    const failure = AzureFailure.fromCause(cause)
    const blobError = AzureErrors.toBlobError("stat")(failure)
    assert.deepStrictEqual([blobError.reason, blobError.operation, blobError.cause], [blob, "stat", failure])
    const targetError = AzureErrors.toTargetError("write")(failure)
    assert.deepStrictEqual([targetError.reason, targetError.operation, targetError.cause], [target, "write", failure])
  })

  it("tells a target's code, and nothing that it may have made up", () => {
    const detail = (cause: unknown) => AzureErrors.toTargetError("write")(AzureFailure.fromCause(cause)).detail
    assert.match(detail(answered("AuthenticationFailed", 403)), /\(AuthenticationFailed\)$/)
    assert.match(detail(answered("<b>call 555</b>", 403)), /\(HTTP 403\)$/)
    assert.notInclude(detail(errno("ECONNREFUSED")), "ECONNREFUSED")
  })

  it("keeps no signature that an answer repeats, and no page of one", () => {
    const page = `GET /c/b?sp=r&sig=c2VjcmV0%3D&se=1 ${"x".repeat(5000)}`
    const { message } = AzureFailure.fromCause(new RestError(page, { statusCode: 502 }))
    assert.include(message, "sig=…&se=1")
    assert.isBelow(message.length, 600)
  })
})
