/**
 * `pnpm reference`: writes the pages that are made from the code.
 */
import * as Fs from "node:fs"
import * as ConfigurationPage from "./ConfigurationPage.ts"

Fs.writeFileSync(ConfigurationPage.path, ConfigurationPage.text())
