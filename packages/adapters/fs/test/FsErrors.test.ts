import { assert, describe, it } from "@effect/vitest"
import { BlobError, type Reason } from "@holdfast/core/storage/BlobError"
import { constants } from "node:os"
import * as FsCall from "../src/internal/FsCall.ts"
import * as FsErrors from "../src/FsErrors.ts"

const reasons: Readonly<Record<Exclude<Reason, "Internal" | "Unreadable">, ReadonlyArray<string>>> = {
  NotFound: ["ENOENT"],
  Damaged: ["WRONG_SIZE"],
  StorageFull: ["ENOSPC", "EDQUOT", "EFBIG"],
  Unavailable: [
    ..."EIO EROFS ENXIO ENODEV ESTALE ENOTCONN ETIMEDOUT EHOSTDOWN".split(" "),
    ..."EMFILE ENFILE ENOMEM EBUSY EAGAIN".split(" ")
  ]
}

const errno = (code: string) => FsCall.errno(Object.assign(new Error(code), { code }))

describe("FsErrors", () => {
  // EHOSTDOWN is an errno of Linux that is missing in Node's table.
  const codes = [...Object.keys(constants.errno), "EHOSTDOWN", "ERR_INVALID_ARG_TYPE", "WRONG_SIZE", ""]

  it.each(codes)("fromErrno, fromErrnoOfStore, fromErrnoOfRead: %s → documented reason", (code) => {
    const expected = Object.entries(reasons).find(([, codes]) => codes.includes(code))?.[0] ?? "Internal"
    const error = FsErrors.fromErrno("read")(errno(code))
    assert.instanceOf(error, BlobError)
    assert.deepStrictEqual([error.reason, error.operation], [expected, "read"])
    const ofStore = FsErrors.fromErrnoOfStore("put")(errno(code))
    assert.strictEqual(ofStore.reason, code === "ENOENT" ? "Unavailable" : expected)
    const ofRead = FsErrors.fromErrnoOfRead(errno(code))
    assert.strictEqual(ofRead.reason, code === "EIO" ? "Unreadable" : expected)
  })

  it("fromErrno: error for which Node has no name → reason by its number", () => {
    for (const [code, reason] of [
      ["EDQUOT", "StorageFull"],
      ["ESTALE", "Unavailable"]
    ] as const) {
      const number = -constants.errno[code]
      const cause = Object.assign(new Error(), { code: `Unknown system error ${number}`, errno: number })
      assert.strictEqual(FsErrors.fromErrno("put")(FsCall.errno(cause)).reason, reason)
    }
  })

  it("fromErrno: cause with a path → path not in the message, cause kept", () => {
    const cause = Object.assign(new Error("ENOSPC: no space left on device, write '/srv/holdfast/tmp/x'"), {
      code: "ENOSPC"
    })
    const error = FsErrors.fromErrno("put")(FsCall.errno(cause))
    assert.notInclude(error.message, "/srv")
    assert.strictEqual(error.cause, cause)
  })
})
