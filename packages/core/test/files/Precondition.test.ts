import { assert, describe, it } from "@effect/vitest"
import { holds, type Precondition } from "@holdfast/core/files/Precondition"

const content = { etag: '"a"' }

describe("Precondition", () => {
  const table: ReadonlyArray<readonly [Precondition, boolean, boolean]> = [
    // condition, holds for a content, holds for none
    [{}, true, true],
    [{ ifMatch: "*" }, true, false],
    [{ ifMatch: ['"a"'] }, true, false],
    [{ ifMatch: ['"b"', '"a"'] }, true, false],
    [{ ifMatch: ['"b"'] }, false, false],
    [{ ifMatch: ['W/"a"'] }, false, false],
    [{ ifNoneMatch: "*" }, false, true],
    [{ ifNoneMatch: ['"a"'] }, false, true],
    [{ ifNoneMatch: ['W/"a"'] }, false, true],
    [{ ifNoneMatch: ['"b"'] }, true, true],
    [{ ifMatch: ['"a"'], ifNoneMatch: ['"a"'] }, false, false]
  ]
  for (const [condition, forContent, forNone] of table) {
    it(`holds: ${JSON.stringify(condition)} → ${forContent} for a content, ${forNone} for none`, () => {
      assert.strictEqual(holds(condition, content), forContent)
      assert.strictEqual(holds(condition, null), forNone)
    })
  }
})
