import { assert, describe, it } from "@effect/vitest"
import * as SmallContents from "../../src/transfer/local/SmallContents.ts"

const make = () => SmallContents.make({ maxBytes: 40, maxOffered: 3 })

const ten = "0123456789"

/** Reads a content as `SmallFile` does: offers it when it is not found. */
const read = (contents: SmallContents.SmallContents, path: string): boolean => {
  if (contents.find(path) !== undefined) return true
  contents.offer(path, ten, () => path !== "damaged")
  return false
}

describe("SmallContents", () => {
  it("content read twice → found from the third time on", () => {
    const contents = make()
    assert.deepStrictEqual(
      [1, 2, 3, 4].map(() => read(contents, "a")),
      [false, false, true, true]
    )
    assert.strictEqual(contents.find("a"), ten)
    assert.isUndefined(contents.find("b"))
  })

  it("damaged content read repeatedly → not kept", () => {
    const contents = make()
    for (let i = 0; i < 10; i++) assert.isFalse(read(contents, "damaged"))
  })

  it("many contents read once → none kept, the kept one stays", () => {
    const contents = make()
    for (let i = 0; i < 3; i++) read(contents, "kept")
    for (let i = 0; i < 100; i++) assert.isFalse(read(contents, `once-${i}`))
    assert.isTrue(read(contents, "kept"))
    assert.isFalse(read(contents, "once-0"))
  })

  it("more contents than bytes → those that were read lately, within the bound", () => {
    const contents = make()
    const paths = Array.from({ length: 20 }, (_, i) => `path-${i}`)
    for (const path of paths) {
      read(contents, path)
      read(contents, path)
      assert.isTrue(read(contents, path))
      if (path !== "path-0") assert.isTrue(read(contents, "path-0"))
    }
    const found = paths.filter((path) => contents.find(path) !== undefined)
    assert.isAtMost(found.length * ten.length, 40)
    assert.include(found, "path-0")
    assert.include(found, "path-19")
  })
})
