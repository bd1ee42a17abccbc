import { assert, describe, it } from "@effect/vitest"
import * as AnnexB from "../../src/internal/output/AnnexB.ts"

/** A byte stream of NAL units of these types. */
const units = (...types: ReadonlyArray<number>) =>
  Uint8Array.from(types.flatMap((type) => [0, 0, 1, 0x60 | type, 0x80, 0xff]))

describe("AnnexB", () => {
  it.each<[types: ReadonlyArray<number>, expected: boolean]>([
    [[9, 7, 8, 6, 5], true],
    [[7, 8, 5, 1], true],
    [[7, 5], false],
    [[8, 5], false],
    [[5, 7, 8], false],
    [[7, 8, 1, 5], false],
    [[7, 8, 6], false],
    [[], false]
  ])("startsAlone: NAL units %j → %s", (types, expected) => {
    assert.strictEqual(AnnexB.startsAlone(units(...types)), expected)
  })
})
