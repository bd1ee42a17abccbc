/**
 * `node scripts/install.ts DIRECTORY`: builds the service from this repository and installs it, with all of its optional packages,
 * into an empty directory. `DIRECTORY/node_modules/.bin/holdfast` is the command line. The image is made by it.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Packages from "./packages/Packages.ts"

const [target] = process.argv.slice(2)
if (target === undefined) throw new Error("usage: node scripts/install.ts DIRECTORY")
const directory = Path.resolve(target)
const tarballs = Path.join(directory, "tarballs")
Fs.mkdirSync(tarballs, { recursive: true })

await Packages.build()
const packed = await Packages.pack(tarballs)
const paths = Object.fromEntries(packed.map((tarball) => [Packages.nameOf(tarball), `file:${tarball}`]))
const installed = ["http", "azure", "ffmpeg", "gcs", "s3"].map((name) => `@holdfast/${name}`)
const manifest = {
  private: true,
  dependencies: Object.fromEntries(installed.map((name) => [name, paths[name]])),
  // Otherwise npm would request the packages that come with them from its registry.
  overrides: Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [name, installed.includes(name) ? `$${name}` : path])
  )
}
Fs.writeFileSync(Path.join(directory, "package.json"), JSON.stringify(manifest))
await Packages.run("npm", ["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], directory)
Fs.rmSync(tarballs, { recursive: true })
