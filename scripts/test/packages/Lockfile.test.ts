import { assert, describe, it } from "vitest"
import * as Fs from "node:fs"
import * as Lockfile from "../../packages/Lockfile.ts"

const locked = Fs.readFileSync(Lockfile.path, "utf8")
const [, id = "", integrity = ""] = /^ {2}'?([^\s']+)'?:\n {4}resolution: \{integrity: (\S+)\}/m.exec(locked) ?? []

describe("packages of an installation", () => {
  it("those of the lockfile, and its own → none differs", () => {
    const own = "  '@holdfast/core@file:core.tgz':\n    resolution: {integrity: sha512-a}\n"
    assert.deepStrictEqual(
      Lockfile.findOthers(`packages:\n  '${id}':\n    resolution: {integrity: ${integrity}}\n${own}`),
      []
    )
  })

  it("another version, another content, or one without a digest → named", () => {
    const entries = [
      `'${id}0':\n    resolution: {integrity: ${integrity}}`,
      `'${id}':\n    resolution: {integrity: sha512-a}`
    ]
    for (const entry of [...entries, `'${id}':\n    resolution: {tarball: a}`]) {
      assert.strictEqual(Lockfile.findOthers(`packages:\n  ${entry}\n`).length, 1, entry)
    }
  })
})
