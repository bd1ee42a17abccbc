import { describe, expect, it } from "@effect/vitest"
import * as CodePoints from "../src/internal/CodePoints.ts"

/** Texts with the first and last code points of each UTF-8 and UTF-16 length, in the order of their UTF-8 bytes. */
const ordered = [
  "",
  "\u0001",
  "/",
  "0",
  "A",
  "a",
  "a\u0001",
  "aa",
  "a\u{10ffff}",
  "b",
  "\u007f",
  "\u0080",
  "é",
  "\u07ff"
].concat([
  "\u0800",
  "\ud7ff",
  "\ue000",
  "\ufffd",
  "\uffff",
  "\u{10000}",
  "😀",
  "😀😀",
  "\u{10ffff}",
  "\u{10ffff}\u{10ffff}"
])

const bytes = new TextEncoder()

describe("CodePoints", () => {
  it("compare: any two texts → the order of their UTF-8 bytes", () => {
    expect(ordered).toEqual(ordered.toSorted((a, b) => Buffer.compare(bytes.encode(a), bytes.encode(b))))
    for (const [i, a] of ordered.entries()) {
      for (const [j, b] of ordered.entries()) expect(Math.sign(CodePoints.compare(a, b))).toBe(Math.sign(i - j))
    }
  })

  it("successor: prefix → the first text after all texts with the prefix", () => {
    for (const prefix of ordered) {
      const next = CodePoints.successor(prefix)
      expect(next === undefined).toBe(/^\u{10ffff}*$/u.test(prefix))
      for (const text of ordered) {
        const isWithin =
          CodePoints.compare(text, prefix) >= 0 && (next === undefined || CodePoints.compare(text, next) < 0)
        expect({ prefix, text, isWithin }).toEqual({ prefix, text, isWithin: text.startsWith(prefix) })
      }
    }
  })

  it("comparable: NUL or lone surrogate → a text that a database can compare with", () => {
    expect(CodePoints.comparable("a\0b")).toBe("a")
    expect(CodePoints.comparable("a\ud800").isWellFormed()).toBe(true)
    for (const text of ordered) expect(CodePoints.comparable(text)).toBe(text)
  })
})
