import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "vitest"
import * as Packages from "../packages/Packages.ts"
import { pages } from "../packages/pages/GeneratedPages.ts"

describe("pages that `pnpm reference` writes", () => {
  it.each(pages.map(({ path, text }) => ({ name: Path.relative(Packages.root, path), path, text })))(
    "$name → equals what the code generates",
    ({ path, text }) => {
      assert.strictEqual(Fs.readFileSync(path, "utf8"), text())
    }
  )
})
