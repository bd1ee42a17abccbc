import { assert, describe, it } from "@effect/vitest"
import { AddressRefused, detail as refusedDetail } from "@holdfast/outbound/AddressRefused"
import * as GcsErrors from "../src/internal/GcsErrors.ts"
import * as GcsFailure from "../src/internal/GcsFailure.ts"

const errorResponse = (status: number, reason = "", message = "message") =>
  new GcsFailure.ErrorResponse(status, reason, message)

const errno = (code: string) => Object.assign(new Error("connect 10.0.0.1:443"), { code })

const table = [
  ["NotFound", "NotFound", errorResponse(404, "notFound", "No such object: bucket/name")],
  ["Internal", "NotFound", errorResponse(404, "notFound", "The specified bucket does not exist.")],
  ["Internal", "Denied", errorResponse(401, "authError")],
  ["Internal", "Denied", errorResponse(403, "forbidden")],
  ["Unavailable", "Unavailable", errorResponse(403, "rateLimitExceeded")],
  ["StorageFull", "Full", errorResponse(403, "quotaExceeded")],
  ["StorageFull", "Full", errorResponse(507)],
  ["StorageFull", "Invalid", errorResponse(413)],
  [
    "Unavailable",
    "Damaged",
    errorResponse(400, "invalid", `Provided MD5 hash "a" doesn't match calculated MD5 hash "b".`)
  ],
  ["Internal", "Invalid", errorResponse(400, "invalid")],
  ["Unavailable", "Damaged", errorResponse(400, "invalid", "CRC32C: no\nmatch")],
  ["Internal", "Invalid", errorResponse(400, "invalid", "match of a hash")],
  ["Unavailable", "Unavailable", errorResponse(408)],
  ["Unavailable", "Unavailable", errorResponse(409)],
  ["Unavailable", "Unavailable", errorResponse(410)],
  ["Unavailable", "Unavailable", errorResponse(412)],
  ["Unavailable", "Unavailable", errorResponse(429)],
  ["Unavailable", "Unavailable", errorResponse(500)],
  ["Unavailable", "Unavailable", errorResponse(502)],
  ["Unavailable", "Unavailable", errorResponse(503)],
  ["Unavailable", "Unavailable", errorResponse(504)],
  ["Internal", "Internal", errorResponse(302)],
  ["Damaged", "Damaged", errorResponse(416)],
  ["Internal", "Internal", errorResponse(501)],
  ["Unavailable", "Unavailable", new GcsFailure.Timeout("nothing moved")],
  ["Unavailable", "Unavailable", errno("ECONNREFUSED")],
  ["Unavailable", "Unavailable", errno("ECONNRESET")],
  ["Unavailable", "Unavailable", errno("EPIPE")],
  ["Unavailable", "Unavailable", errno("EAI_AGAIN")],
  ["Internal", "Refused", new AddressRefused({ host: "metadata.internal" })],
  ["Internal", "Refused", new Error("outer", { cause: new AddressRefused({ host: "metadata.internal" }) })],
  ["Internal", "Internal", errno("CERT_HAS_EXPIRED")],
  ["Internal", "Internal", new TypeError("a bug")],
  ["Internal", "Internal", "a text"],
  ["Internal", "Internal", undefined],
  ["Internal", "Internal", null]
] as const

describe("GcsErrors", () => {
  it.each(table)("store: %s, mirror target: %s, for %s", (blob, target, cause) => {
    const failure = GcsFailure.fromCause(cause)
    const stored = GcsErrors.toBlobError("stat")(failure)
    assert.deepStrictEqual([stored.reason, stored.operation, stored.cause], [blob, "stat", cause ?? stored.cause])
    const mirrored = GcsErrors.toTargetError("write")(failure)
    assert.deepStrictEqual([mirrored.reason, mirrored.operation], [target, "write"])
    assert.match(mirrored.detail, /^.{3,400}$/u)
    assert.notInclude(JSON.stringify(mirrored), "10.0.0.1")
  })

  it("message of two megabytes that says hash again and again → classified in linear time", () => {
    const { kind } = GcsFailure.fromCause(errorResponse(400, "invalid", "hash".repeat(500_000)))
    assert.strictEqual(kind, "Invalid")
  })

  it("toTargetError: 400 → Invalid for write and describe, Internal for list", () => {
    const failure = GcsFailure.fromCause(errorResponse(400, "invalid"))
    assert.strictEqual(GcsErrors.toTargetError("list")(failure).reason, "Internal")
    assert.strictEqual(GcsErrors.toTargetError("describe")(failure).reason, "Invalid")
  })

  it("toTargetError: refused address → the detail of every adapter", () => {
    const failure = GcsFailure.fromCause(new AddressRefused({ host: "metadata.internal" }))
    assert.strictEqual(GcsErrors.toTargetError("write")(failure).detail, refusedDetail)
  })

  it("fromCause: long message with line breaks → one short line", () => {
    const { message: detail } = GcsFailure.fromCause(errorResponse(403, "forbidden", `a\r\nb ${"c".repeat(1000)}`))
    assert.match(detail, /^The service answered 403: a b c+$/)
    assert.isAtMost(detail.length, 300)
  })
})
