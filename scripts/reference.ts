/**
 * `pnpm reference`: writes the pages that are generated from the code.
 */
import * as Fs from "node:fs"
import * as ConfigurationPage from "./packages/ConfigurationPage.ts"

Fs.writeFileSync(ConfigurationPage.path, ConfigurationPage.text())
