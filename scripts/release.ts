/**
 * `pnpm release`: checks, builds and publishes every package whose version is not published yet. Refuses while the manifest of the root has no
 * address of the repository: `.pnpmfile.mjs` copies it into the published manifests, and the links of the READMEs begin with it, which
 * cannot be changed afterwards.
 */
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Packages from "./packages/Packages.ts"
import * as Readmes from "./packages/Readmes.ts"

const { repository }: { readonly repository?: unknown } = JSON.parse(Fs.readFileSync("package.json", "utf8"))

if (typeof repository === "string" && /^https:\/\/[^?#]+[^/?#](?<!\.git)$/.test(repository)) {
  const { directories, root } = Packages
  const { status } = Readmes.whileAbsolute({ root, directories, repository }, () =>
    spawnSync("pnpm run packages && node scripts/build.ts && changeset publish", { shell: true, stdio: "inherit" })
  )
  process.exitCode = status ?? 1
} else {
  process.stderr.write(
    'Set "repository" in package.json to the address of the repository, as in https://example.com/group/holdfast\n'
  )
  process.exitCode = 1
}
