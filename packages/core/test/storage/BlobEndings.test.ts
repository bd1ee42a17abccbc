import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as BlobEndings from "../../src/storage/internal/BlobEndings.ts"

const fresh = (ending: string) => `blb_01890000-0000-7000-8000-0000000000${ending}`

describe("BlobEndings", () => {
  it("apply: ids within 50 ms → same ending; the next id → its own", () => {
    const { apply } = BlobEndings.make()
    const endingsAt = (times: ReadonlyArray<number>) =>
      times.map((at, index) => apply(fresh(`a${index}`), DateTime.makeUnsafe(at)).slice(-2))
    assert.deepStrictEqual(endingsAt([1000, 1000, 1049, 1050, 1051]), ["a0", "a0", "a0", "a3", "a3"])
  })

  it("apply: clock goes back → a new ending", () => {
    const { apply } = BlobEndings.make()
    apply(fresh("aa"), DateTime.makeUnsafe(1_000_000))
    assert.strictEqual(apply(fresh("bb"), DateTime.makeUnsafe(1000)), fresh("bb"))
  })

  it("apply: everything but the ending stays", () => {
    const { apply } = BlobEndings.make()
    const first = apply(fresh("aa"), DateTime.makeUnsafe(1000))
    assert.strictEqual(first, fresh("aa"))
    const other = "blb_01890000-ffff-7abc-9def-0123456789bb"
    assert.strictEqual(apply(other, DateTime.makeUnsafe(1000)), `${other.slice(0, -2)}aa`)
  })
})
