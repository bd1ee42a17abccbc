import * as Fs from "node:fs"
import { assert, it } from "vitest"
import * as ConfigurationPage from "../packages/ConfigurationPage.ts"

it("docs/configuration.md: written by `pnpm reference` → equals what the code generates", () => {
  assert.strictEqual(Fs.readFileSync(ConfigurationPage.path, "utf8"), ConfigurationPage.text())
})
