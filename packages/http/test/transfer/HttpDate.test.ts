import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import * as HttpDate from "../../src/transfer/request/HttpDate.ts"

const now = Date.UTC(2026, 5, 15, 12)
const example = Date.UTC(1994, 10, 6, 8, 49, 37)

describe("HttpDate.parse", () => {
  it.each<[text: string, expected: number | undefined]>([
    // RFC 9110, section 5.6.7
    ["Sun, 06 Nov 1994 08:49:37 GMT", example],
    ["Sunday, 06-Nov-94 08:49:37 GMT", example],
    ["Sun Nov  6 08:49:37 1994", example],
    ["Wed Nov 16 08:49:37 1994", Date.UTC(1994, 10, 16, 8, 49, 37)],
    // the end of a day, leap days, leap seconds
    ["Thu, 29 Feb 2024 23:59:59 GMT", Date.UTC(2024, 1, 29, 23, 59, 59)],
    ["Sat, 31 Dec 2016 23:59:60 GMT", Date.UTC(2017, 0, 1)],
    ["Tue, 29 Feb 2000 00:00:00 GMT", Date.UTC(2000, 1, 29)],
    // two-digit years
    ["Monday, 15-Jun-26 12:00:00 GMT", Date.UTC(2026, 5, 15, 12)],
    ["Monday, 15-Jun-76 12:00:00 GMT", Date.UTC(2076, 5, 15, 12)],
    ["Monday, 15-Jun-76 12:00:01 GMT", Date.UTC(1976, 5, 15, 12, 0, 1)],
    ["Monday, 15-Jun-99 12:00:00 GMT", Date.UTC(1999, 5, 15, 12)],
    ["Tuesday, 29-Feb-00 12:00:00 GMT", Date.UTC(2000, 1, 29, 12)],
    ["Friday, 29-Feb-80 12:00:00 GMT", Date.UTC(1980, 1, 29, 12)],
    // dates that do not exist
    ["Thu, 30 Feb 2024 00:00:00 GMT", undefined],
    ["Wed, 29 Feb 2023 00:00:00 GMT", undefined],
    ["Wed, 31 Apr 2025 00:00:00 GMT", undefined],
    ["Sun, 00 Nov 1994 08:49:37 GMT", undefined],
    ["Sun, 06 Nov 1994 24:00:00 GMT", undefined],
    ["Sun, 06 Nov 1994 08:60:00 GMT", undefined],
    ["Sun, 06 Nov 1994 08:49:61 GMT", undefined],
    ["Sun, 06 Nov 0094 08:49:37 GMT", undefined],
    // malformed dates
    ["", undefined],
    ["0", undefined],
    ["1994-11-06T08:49:37Z", undefined],
    ["Sun, 6 Nov 1994 08:49:37 GMT", undefined],
    ["Sun, 06 Nov 94 08:49:37 GMT", undefined],
    ["Sun, 06 Nov 1994 8:49:37 GMT", undefined],
    ["Sun, 06 Nov 1994 08:49:37 UTC", undefined],
    ["Sun, 06 Nov 1994 08:49:37 +0000", undefined],
    ["Sun, 06 Nov 1994 08:49:37", undefined],
    ["Sun,  06 Nov 1994 08:49:37 GMT", undefined],
    ["sun, 06 nov 1994 08:49:37 gmt", undefined],
    ["Sun, 06 Nov 1994 08:49:37 GMT ", undefined],
    ["Sun, 06-Nov-94 08:49:37 GMT", undefined],
    ["Sunday, 06-Nov-1994 08:49:37 GMT", undefined],
    ["Sun Nov 6 08:49:37 1994", undefined],
    ["Sun Nov  6 08:49:37 1994 GMT", undefined],
    ["Xyz, 06 Nov 1994 08:49:37 GMT", undefined],
    ["Sun, 06 Xyz 1994 08:49:37 GMT", undefined]
  ])("%j → %s", (text, expected) => {
    assert.strictEqual(HttpDate.parse(text, now), expected)
  })

  it("any formatted instant → the instant in whole seconds", () => {
    const instants = FastCheck.integer({ min: 0, max: Date.UTC(2999, 11, 31) })
    FastCheck.assert(
      FastCheck.property(instants, (at) => {
        assert.strictEqual(HttpDate.parse(HttpDate.format(at), now), HttpDate.truncate(at))
      })
    )
  })
})

describe("HttpDate.format", () => {
  it("an instant → IMF-fixdate, for consecutive seconds too", () => {
    assert.strictEqual(HttpDate.format(example), "Sun, 06 Nov 1994 08:49:37 GMT")
    assert.strictEqual(HttpDate.format(example + 999), "Sun, 06 Nov 1994 08:49:37 GMT")
    assert.strictEqual(HttpDate.format(example + 1000), "Sun, 06 Nov 1994 08:49:38 GMT")
    assert.strictEqual(HttpDate.format(example), "Sun, 06 Nov 1994 08:49:37 GMT")
  })
})
