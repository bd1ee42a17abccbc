import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import * as ContentDisposition from "../../src/transfer/response/ContentDisposition.ts"

/** The one form of RFC 6266 with RFC 8187 that this module writes. */
const form =
  /^(inline|attachment); filename="([\x20\x21\x23\x24\x26-\x2e\x30-\x5b\x5d-\x7e]+)"; filename\*=UTF-8''((?:[A-Za-z0-9!#$&+\-.^_`|~]|%[0-9A-F]{2})+)$/

describe("ContentDisposition.format", () => {
  it.each<[name: string, fallback: string, extended: string]>([
    ["report.pdf", "report.pdf", "report.pdf"],
    ["my report (1).pdf", "my report (1).pdf", "my%20report%20%281%29.pdf"],
    ["café.txt", "cafe.txt", "caf%C3%A9.txt"],
    ["日本語.txt", "___.txt", "%E6%97%A5%E6%9C%AC%E8%AA%9E.txt"],
    ["😀.png", "_.png", "%F0%9F%98%80.png"],
    ['a"b\\c.txt', "a_b_c.txt", "a%22b%5Cc.txt"],
    ["100%.txt", "100_.txt", "100%25.txt"],
    ["%41.txt", "_41.txt", "%2541.txt"],
    ["it's*.txt", "it's*.txt", "it%27s%2A.txt"],
    ["a;b=c.txt", "a;b=c.txt", "a%3Bb%3Dc.txt"],
    ["a/b", "a_b", "a%2Fb"],
    ["a\r\nSet-Cookie: x=y", "aSet-Cookie: x=y", "aSet-Cookie%3A%20x%3Dy"],
    ["a\u0000b\u007f\u0085c", "abc", "abc"],
    ["invoice\u202Egpj.exe", "invoicegpj.exe", "invoicegpj.exe"],
    ["\u200E\u200F\u061C\u2066\u2067\u2068\u2069\u202A\u202B\u202C\u202Da", "a", "a"],
    ["a\u2028b\u2029c", "abc", "abc"],
    ["a\ud800b", "a_b", "a%EF%BF%BDb"],
    [" a ", "a", "a"],
    ["", "file", "file"],
    ["\u202E", "file", "file"],
    ["\u0301", "file", "%CC%81"]
  ])("%j → filename=%j, filename*=%j", (name, fallback, extended) => {
    assert.strictEqual(
      ContentDisposition.format("inline", name),
      `inline; filename="${fallback}"; filename*=UTF-8''${extended}`
    )
  })

  it("attachment → the value starts with attachment", () => {
    assert.match(ContentDisposition.format("attachment", "a.txt"), /^attachment; /)
  })

  it("any name → one form, from which the name can be decoded", () => {
    const unit = FastCheck.oneof(
      FastCheck.integer({ min: 0, max: 0xff }),
      FastCheck.integer({ min: 0, max: 0xffff }),
      FastCheck.integer({ min: 0x1_0000, max: 0x10_ffff })
    )
    const names = FastCheck.array(unit).map((codes) => String.fromCodePoint(...codes))
    FastCheck.assert(
      FastCheck.property(names, (name) => {
        const [, , , extended = ""] = form.exec(ContentDisposition.format("attachment", name)) ?? []
        const decoded = decodeURIComponent(extended)
        assert.isFalse(/^$|[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(decoded))
        if (/^[\p{L}\p{N}]+$/u.test(name)) assert.strictEqual(decoded, name)
      })
    )
  })
})
