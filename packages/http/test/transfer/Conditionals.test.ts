import { assert, describe, it } from "@effect/vitest"
import * as Conditionals from "../../src/transfer/request/Conditionals.ts"

const now = Date.UTC(2026, 0, 1)
/** With a fraction of a second, which headers cannot express. */
const lastModified = Date.UTC(2025, 6, 1, 12, 0, 0) + 567
const same = "Tue, 01 Jul 2025 12:00:00 GMT"
const before = "Tue, 01 Jul 2025 11:59:59 GMT"
const after = "Tue, 01 Jul 2025 12:00:01 GMT"

/** The content is sent; `Range` applies. */
const go = "range"
/** The content is sent; `Range` is ignored. */
const whole = "whole"
const not = "304"
const failed = "412"

const summarize = (outcome: Conditionals.Outcome): string => {
  switch (outcome._tag) {
    case "Proceed":
      return outcome.useRange ? go : whole
    case "NotModified":
      return not
    case "PreconditionFailed":
      return failed
  }
}

describe("Conditionals.evaluate", () => {
  it.each<[headers: Record<string, string>, expected: string]>([
    [{}, go],
    // If-Match: strong comparison
    [{ "if-match": '"a"' }, go],
    [{ "if-match": '"x", "a"' }, go],
    [{ "if-match": "*" }, go],
    [{ "if-match": '"x"' }, failed],
    [{ "if-match": 'W/"a"' }, failed],
    [{ "if-match": "a" }, failed],
    [{ "if-match": "" }, failed],
    // If-Unmodified-Since
    [{ "if-unmodified-since": same }, go],
    [{ "if-unmodified-since": after }, go],
    [{ "if-unmodified-since": before }, failed],
    [{ "if-unmodified-since": "yesterday" }, go],
    [{ "if-unmodified-since": "Tuesday, 01-Jul-25 11:59:59 GMT" }, failed],
    [{ "if-unmodified-since": "Tue Jul  1 11:59:59 2025" }, failed],
    // If-Match takes precedence over If-Unmodified-Since
    [{ "if-match": '"a"', "if-unmodified-since": before }, go],
    [{ "if-match": '"x"', "if-unmodified-since": after }, failed],
    // If-None-Match: weak comparison
    [{ "if-none-match": '"a"' }, not],
    [{ "if-none-match": 'W/"a"' }, not],
    [{ "if-none-match": '"x", W/"a"' }, not],
    [{ "if-none-match": "*" }, not],
    [{ "if-none-match": '"x"' }, go],
    [{ "if-none-match": "a" }, go],
    // If-Modified-Since
    [{ "if-modified-since": same }, not],
    [{ "if-modified-since": after }, not],
    [{ "if-modified-since": before }, go],
    [{ "if-modified-since": "soon" }, go],
    [{ "if-modified-since": "" }, go],
    [{ "if-modified-since": "1" }, go],
    // If-None-Match takes precedence over If-Modified-Since
    [{ "if-none-match": '"x"', "if-modified-since": after }, go],
    [{ "if-none-match": '"a"', "if-modified-since": before }, not],
    // 412 takes precedence over 304
    [{ "if-match": '"x"', "if-none-match": '"a"' }, failed],
    [{ "if-match": '"a"', "if-none-match": '"a"' }, not],
    [{ "if-unmodified-since": before, "if-modified-since": after }, failed],
    [{ "if-unmodified-since": after, "if-none-match": '"a"' }, not],
    // If-Range: the same strong entity tag, or exactly the same date
    [{ "if-range": '"a"' }, go],
    [{ "if-range": '"x"' }, whole],
    [{ "if-range": 'W/"a"' }, whole],
    [{ "if-range": "*" }, whole],
    [{ "if-range": '"a", "x"' }, whole],
    [{ "if-range": same }, go],
    [{ "if-range": "Tue Jul  1 12:00:00 2025" }, go],
    [{ "if-range": after }, whole],
    [{ "if-range": before }, whole],
    [{ "if-range": "rubbish" }, whole],
    [{ "if-range": '"x"', "if-none-match": '"a"' }, not],
    [{ "if-range": '"x"', "if-match": '"x"' }, failed]
  ])("%j → %s", (headers, expected) => {
    assert.strictEqual(summarize(Conditionals.evaluate(headers, { etag: '"a"', lastModified }, now)), expected)
  })
})
