import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import * as ByteRanges from "../../src/transfer/request/ByteRanges.ts"

const summarize = (outcome: ByteRanges.Outcome): string =>
  outcome._tag === "Satisfiable"
    ? outcome.ranges.map(({ end, start }) => `${start}-${end}`).join(",")
    : outcome._tag.toLowerCase()

describe("ByteRanges.parse", () => {
  it.each<[header: string | undefined, size: number, expected: string]>([
    // one range
    ["bytes=0-0", 10, "0-0"],
    ["bytes=0-9", 10, "0-9"],
    ["bytes=2-5", 10, "2-5"],
    ["bytes=9-9", 10, "9-9"],
    ["bytes=3-", 10, "3-9"],
    ["bytes=0-", 10, "0-9"],
    ["bytes=5-100", 10, "5-9"],
    ["BYTES=1-2", 10, "1-2"],
    ["bytes=007-8", 10, "7-8"],
    // suffixes
    ["bytes=-1", 10, "9-9"],
    ["bytes=-10", 10, "0-9"],
    ["bytes=-11", 10, "0-9"],
    ["bytes=-99999999999999999999999999", 10, "0-9"],
    ["bytes=-0", 10, "unsatisfiable"],
    ["bytes=-0,1-2", 10, "1-2"],
    // outside the content
    ["bytes=10-", 10, "unsatisfiable"],
    ["bytes=10-20", 10, "unsatisfiable"],
    ["bytes=10-,20-30", 10, "unsatisfiable"],
    ["bytes=8-,20-30", 10, "8-9"],
    // huge numbers
    ["bytes=0-99999999999999999999999999", 10, "0-9"],
    ["bytes=99999999999999999999999999-", 10, "unsatisfiable"],
    ["bytes=9007199254740993-9007199254740992", 10, "ignore"],
    ["bytes=9007199254740992-9007199254740993", 10, "unsatisfiable"],
    // an empty content
    ["bytes=0-", 0, "unsatisfiable"],
    ["bytes=0-0", 0, "unsatisfiable"],
    ["bytes=-0", 0, "unsatisfiable"],
    ["bytes=-5", 0, "ignore"],
    // several
    ["bytes=0-1,4-5", 10, "0-1,4-5"],
    ["bytes=8-9,0-1", 10, "8-9,0-1"],
    ["bytes=0-1 , 4-5", 10, "0-1,4-5"],
    ["bytes= 0-1,\t4-5 ", 10, "0-1,4-5"],
    ["bytes=,0-1,,4-5,", 10, "0-1,4-5"],
    ["bytes=0-1,-2", 10, "0-1,8-9"],
    // joined: overlapping, touching, nested
    ["bytes=0-5,3-8", 10, "0-8"],
    ["bytes=0-1,2-3", 10, "0-3"],
    ["bytes=5-6,0-9", 10, "0-9"],
    ["bytes=6-7,0-1,7-8", 10, "0-1,6-8"],
    // ignored
    [undefined, 10, "ignore"],
    ["", 10, "ignore"],
    ["bytes", 10, "ignore"],
    ["bytes=", 10, "ignore"],
    ["bytes=,", 10, "ignore"],
    ["bytes=-", 10, "ignore"],
    ["bytes=a-b", 10, "ignore"],
    ["bytes=1", 10, "ignore"],
    ["bytes=5-2", 10, "ignore"],
    ["bytes=0-1,5-2", 10, "ignore"],
    ["bytes=0-1;4-5", 10, "ignore"],
    ["bytes=0 -1", 10, "ignore"],
    ["bytes=0- 1", 10, "ignore"],
    ["bytes =0-1", 10, "ignore"],
    ["bytes=+1-2", 10, "ignore"],
    ["bytes=0x1-2", 10, "ignore"],
    ["bytes=1-2-3", 10, "ignore"],
    ["bytes=--1", 10, "ignore"],
    ["items=0-1", 10, "ignore"],
    ["seconds=1-2", 10, "ignore"]
  ])("%s of %d bytes → %s", (header, size, expected) => {
    assert.strictEqual(summarize(ByteRanges.parse(header, size)), expected)
  })

  it("more than 16 ranges → the header is ignored", () => {
    const header = (count: number) =>
      `bytes=${Array.from({ length: count }, (_, i) => `${i * 10}-${i * 10}`).join(",")}`
    assert.strictEqual(summarize(ByteRanges.parse(header(16), 1000)).split(",").length, 16)
    assert.strictEqual(summarize(ByteRanges.parse(header(17), 1000)), "ignore")
    assert.strictEqual(summarize(ByteRanges.parse(header(17), 1)), "ignore")
  })

  it("any ranges → exactly the requested bytes of the content, each once", () => {
    const spec = FastCheck.oneof(
      FastCheck.tuple(FastCheck.nat(60), FastCheck.nat(60)).map(([a, b]) => `${a}-${a + b}`),
      FastCheck.nat(60).map((a) => `${a}-`),
      FastCheck.nat(60).map((n) => `-${n}`)
    )
    const isRequested = (text: string, size: number, at: number): boolean => {
      const [first = "", last = ""] = text.split("-")
      if (first === "") return at >= size - Number(last)
      return at >= Number(first) && (last === "" || at <= Number(last))
    }
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(spec, { minLength: 1, maxLength: 16 }),
        FastCheck.integer({ min: 1, max: 50 }),
        (specs, size) => {
          const outcome = ByteRanges.parse(`bytes=${specs.join(",")}`, size)
          const counts = Array.from({ length: size }, () => 0)
          if (outcome._tag === "Satisfiable") {
            for (const { end, start } of outcome.ranges) for (let at = start; at <= end; at++) counts[at]!++
          }
          const expected = counts.map((_, at) => (specs.some((text) => isRequested(text, size, at)) ? 1 : 0))
          assert.deepStrictEqual(counts, expected)
          assert.strictEqual(outcome._tag, expected.includes(1) ? "Satisfiable" : "Unsatisfiable")
        }
      )
    )
  })

  it("hostile headers of any length → an outcome", () => {
    for (const filler of [" ", "\t", ",", "0", "-", "0-", " ,"]) {
      const outcome = ByteRanges.parse(`bytes=${filler.repeat(16_000)}x`, 10)
      assert.strictEqual(outcome._tag, "Ignore")
    }
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: FastCheck.constantFrom(..."0123456789-, =b") }), (text) => {
        assert.isString(ByteRanges.parse(`bytes=${text}`, 100)._tag)
      })
    )
  })
})
