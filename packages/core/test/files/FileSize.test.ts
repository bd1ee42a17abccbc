import { assert, describe, it } from "@effect/vitest"
import { human } from "../../src/files/internal/FileSize.ts"

describe("FileSize", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [1_500_000, "1.5 MB"],
    [999_949, "999.9 kB"],
    [999_950, "1.0 MB"],
    [999_999_999, "1.0 GB"],
    [5_497_558_138_880, "5.5 TB"],
    [9_007_199_254_740_991, "9.0 PB"]
  ])("human: %d bytes → %s", (bytes, text) => {
    assert.strictEqual(human(bytes), text)
  })
})
