import { RestError } from "@azure/storage-blob"
import { assert, describe, it } from "@effect/vitest"
import { AddressRefused } from "@holdfast/outbound/AddressRefused"
import * as AzureErrors from "../src/internal/AzureErrors.ts"
import * as AzureFailure from "../src/internal/AzureFailure.ts"

/** Makes an error as the SDK throws it for a response with a body. */
const errorResponse = (code: string, statusCode: number) => new RestError("No.", { code, statusCode })

/** Makes an error as the SDK throws it for the answer to a HEAD, which has the code in a header. */
const headResponse = (code: string, statusCode: number) =>
  Object.assign(new RestError("No.", { statusCode }), {
    response: { headers: new Map([["x-ms-error-code", code]]), status: statusCode }
  })

const errno = (code: string) => new RestError(code, { code })

describe("AzureErrors", () => {
  it.each([
    ["NotFound", "NotFound", errorResponse("BlobNotFound", 404)],
    ["NotFound", "NotFound", headResponse("BlobNotFound", 404)],
    ["NotFound", "NotFound", new RestError("No.", { statusCode: 404 })],
    ["Internal", "NotFound", errorResponse("ContainerNotFound", 404)],
    ["Internal", "NotFound", headResponse("ContainerNotFound", 404)],
    ["Internal", "Denied", errorResponse("AuthenticationFailed", 403)],
    ["Internal", "Denied", errorResponse("AuthorizationPermissionMismatch", 403)],
    ["Internal", "Denied", errorResponse("NoAuthenticationInformation", 401)],
    ["Internal", "Refused", new RestError("no", { code: new AddressRefused({ host: "a" }).code })],
    ["Internal", "Refused", new AddressRefused({ host: "a" })],
    ["StorageFull", "Full", errorResponse("InsufficientStorage", 507)],
    ["StorageFull", "Invalid", errorResponse("RequestBodyTooLarge", 413)],
    ["StorageFull", "Invalid", errorResponse("BlockCountExceedsLimit", 409)],
    ["Internal", "Invalid", errorResponse("LeaseIdMissing", 412)],
    ["Internal", "Invalid", errorResponse("SnapshotsPresent", 409)],
    ["Internal", "Invalid", errorResponse("BlobImmutableDueToPolicy", 409)],
    ["Unavailable", "Damaged", errorResponse("Md5Mismatch", 400)],
    ["Unavailable", "Unavailable", errorResponse("ConditionNotMet", 412)],
    ["Unavailable", "Unavailable", errorResponse("InvalidBlockList", 400)],
    ["Unavailable", "Unavailable", errorResponse("ServerBusy", 503)],
    ["Unavailable", "Unavailable", errorResponse("OperationTimedOut", 500)],
    ["Unavailable", "Unavailable", new RestError("No.", { statusCode: 502 })],
    ["Unavailable", "Unavailable", new RestError("No.", { statusCode: 429 })],
    ["Unavailable", "Unavailable", errno("ECONNREFUSED")],
    ["Unavailable", "Unavailable", errno("ENOTFOUND")],
    ["Unavailable", "Unavailable", errno(RestError.REQUEST_SEND_ERROR)],
    ["Unavailable", "Unavailable", errno(RestError.PARSE_ERROR)],
    ["Internal", "Internal", new RestError("No.", { code: RestError.PARSE_ERROR, statusCode: 200 })],
    ["Damaged", "Damaged", errorResponse("InvalidRange", 416)],
    ["Internal", "Internal", new RestError("No.", { statusCode: 307 })],
    ["Internal", "Internal", errno("CERT_HAS_EXPIRED")],
    ["Internal", "Internal", new TypeError("a bug")],
    ["Internal", "Internal", "a text"],
    ["Internal", "Internal", undefined],
    ["Internal", "Internal", null]
  ] as const)("store: %s, mirror target: %s, for %s", (blob, target, cause) => {
    const failure = AzureFailure.fromCause(cause)
    const blobError = AzureErrors.toBlobError("stat")(failure)
    assert.deepStrictEqual([blobError.reason, blobError.operation, blobError.cause], [blob, "stat", failure])
    const targetError = AzureErrors.toTargetError("write")(failure)
    assert.deepStrictEqual([targetError.reason, targetError.operation, targetError.cause], [target, "write", failure])
  })

  it("toTargetError: detail with the service's code, or with the status if that is no code", () => {
    const detail = (cause: unknown) => AzureErrors.toTargetError("write")(AzureFailure.fromCause(cause)).detail
    assert.match(detail(errorResponse("AuthenticationFailed", 403)), /\(AuthenticationFailed\)$/)
    assert.match(detail(errorResponse("<b>call 555</b>", 403)), /\(HTTP 403\)$/)
    assert.notInclude(detail(errno("ECONNREFUSED")), "ECONNREFUSED")
  })

  it("fromCause: long message with a signature → shortened, signature removed", () => {
    const page = `GET /c/b?sp=r&sig=c2VjcmV0%3D&se=1 ${"x".repeat(5000)}`
    const { message } = AzureFailure.fromCause(new RestError(page, { statusCode: 502 }))
    assert.include(message, "sig=…&se=1")
    assert.isBelow(message.length, 600)
  })
})
