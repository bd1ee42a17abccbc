import { assert, describe, it } from "vitest"
import * as Finding from "../checks/Finding.ts"
import * as Folders from "../checks/Folders.ts"

const files = (folder: string, count: number) => Array.from({ length: count }, (_, index) => `${folder}/A${index}.ts`)

describe("Folders", () => {
  it("check: 20 source files, and others below or beside them → no finding", () => {
    assert.deepStrictEqual(Folders.check([...files("a", 20), ...files("a/b", 20), "a/a.json", "a/README.md"]), [])
  })

  it("check: 21 source files → the folder and their number", () => {
    assert.deepStrictEqual(Folders.check(files("a/b", 21)).map(Finding.format), [
      "a/b: holds 21 source files; group them into folders of at most 20"
    ])
  })
})
