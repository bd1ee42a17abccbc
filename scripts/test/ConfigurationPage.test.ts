import * as Fs from "node:fs"
import { assert, it } from "vitest"
import * as ConfigurationPage from "../ConfigurationPage.ts"

it("docs/configuration.md says what the code says; `pnpm reference` writes it", () => {
  assert.strictEqual(Fs.readFileSync(ConfigurationPage.path, "utf8"), ConfigurationPage.text())
})
