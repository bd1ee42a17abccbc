/**
 * `pnpm reference`: writes the pages that are generated from the code.
 */
import * as Fs from "node:fs"
import { pages } from "./packages/pages/GeneratedPages.ts"

for (const { path, text } of pages) Fs.writeFileSync(path, text())
