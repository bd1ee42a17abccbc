import { assert, describe, it } from "@effect/vitest"
import { AddressRefused, detail as refusedDetail } from "@holdfast/outbound/AddressRefused"
import * as GcsErrors from "../src/GcsErrors.ts"
import * as GcsFailure from "../src/GcsFailure.ts"

const answered = (status: number, reason = "", message = "words") =>
  new GcsFailure.ErrorResponse(status, reason, message)

const errno = (code: string) => Object.assign(new Error("connect 10.0.0.1:443"), { code })

const table = [
  ["NotFound", "NotFound", answered(404, "notFound", "No such object: bucket/name")],
  ["Internal", "NotFound", answered(404, "notFound", "The specified bucket does not exist.")],
  ["Internal", "Denied", answered(401, "authError")],
  ["Internal", "Denied", answered(403, "forbidden")],
  ["Unavailable", "Unavailable", answered(403, "rateLimitExceeded")],
  ["StorageFull", "Full", answered(403, "quotaExceeded")],
  ["StorageFull", "Full", answered(507)],
  ["StorageFull", "Invalid", answered(413)],
  ["Unavailable", "Damaged", answered(400, "invalid", `Provided MD5 hash "a" doesn't match calculated MD5 hash "b".`)],
  ["Internal", "Invalid", answered(400, "invalid")],
  ["Unavailable", "Unavailable", answered(408)],
  ["Unavailable", "Unavailable", answered(409)],
  ["Unavailable", "Unavailable", answered(410)],
  ["Unavailable", "Unavailable", answered(412)],
  ["Unavailable", "Unavailable", answered(429)],
  ["Unavailable", "Unavailable", answered(500)],
  ["Unavailable", "Unavailable", answered(502)],
  ["Unavailable", "Unavailable", answered(503)],
  ["Unavailable", "Unavailable", answered(504)],
  ["Internal", "Internal", answered(302)],
  ["Internal", "Internal", answered(416)],
  ["Internal", "Internal", answered(501)],
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

describe("GcsFailure", () => {
  it.each(table)("is %s to a store and %s to a mirror for %s", (blob, target, cause) => {
    const failure = GcsFailure.fromCause(cause)
    const stored = GcsErrors.toBlobError("stat")(failure)
    assert.deepStrictEqual([stored.reason, stored.operation, stored.cause], [blob, "stat", cause ?? stored.cause])
    const mirrored = GcsErrors.toTargetError("write")(failure)
    assert.deepStrictEqual([mirrored.reason, mirrored.operation], [target, "write"])
    assert.match(mirrored.detail, /^.{3,400}$/u)
    assert.notInclude(JSON.stringify(mirrored), "10.0.0.1")
  })

  it("calls an object invalid only where one is written", () => {
    const failure = GcsFailure.fromCause(answered(400, "invalid"))
    assert.strictEqual(GcsErrors.toTargetError("list")(failure).reason, "Internal")
    assert.strictEqual(GcsErrors.toTargetError("describe")(failure).reason, "Invalid")
  })

  it("tells a refused address in the words of every adapter", () => {
    const failure = GcsFailure.fromCause(new AddressRefused({ host: "metadata.internal" }))
    assert.strictEqual(GcsErrors.toTargetError("write")(failure).detail, refusedDetail)
  })

  it("passes the service's words on as one short line", () => {
    const { message: detail } = GcsFailure.fromCause(answered(403, "forbidden", `a\r\nb ${"c".repeat(1000)}`))
    assert.match(detail, /^The service answered 403: a b c+$/)
    assert.isAtMost(detail.length, 300)
  })
})
