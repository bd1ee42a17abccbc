import { assert, describe, it } from "@effect/vitest"
import { orderOf } from "../src/internal/ModuleOrder.ts"

describe("ModuleOrder", () => {
  it("module with imports → after them, in the order in which they are imported", () => {
    assert.deepStrictEqual(
      orderOf("entry", [
        ["entry", "b"],
        ["entry", "a"],
        ["b", "shared"],
        ["a", "shared"]
      ]),
      ["shared", "b", "a", "entry"]
    )
  })

  it("modules that import each other → the one that is reached first", () => {
    assert.deepStrictEqual(
      orderOf("entry", [
        ["entry", "first"],
        ["first", "second"],
        ["second", "leaf"],
        ["second", "third"],
        ["third", "first"]
      ]),
      ["leaf", "first", "entry"]
    )
  })

  it("imports of modules that the entry does not reach → not in the order", () => {
    assert.deepStrictEqual(orderOf("entry", [["other", "unused"]]), ["entry"])
  })
})
