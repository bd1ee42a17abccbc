/**
 * `node scripts/install.ts DIRECTORY`: builds the service from this repository and installs it, with all of its optional packages,
 * into an empty directory. `DIRECTORY/node_modules/.bin/holdfast` is the command line. The image is made by it. Every installed package
 * has the content that the lockfile of the repository names: two runs on one commit install the same.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Lockfile from "./packages/Lockfile.ts"
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
const manifest = { private: true, dependencies: Object.fromEntries(installed.map((name) => [name, paths[name]])) }
// Without `overrides`, pnpm would request the packages that come with them from its registry. Flat and copied: the directory is moved
// into an image.
const settings = { overrides: paths, nodeLinker: "hoisted", packageImportMethod: "copy" }
Fs.writeFileSync(Path.join(directory, "package.json"), JSON.stringify(manifest))
Fs.writeFileSync(Path.join(directory, "pnpm-workspace.yaml"), JSON.stringify(settings))
Fs.copyFileSync(Lockfile.path, Path.join(directory, "pnpm-lock.yaml"))
// pnpm prefers the versions of the lockfile that it finds, and writes what it has installed.
await Packages.run(Packages.bin("pnpm"), ["install", "--prod", "--ignore-scripts", "--no-frozen-lockfile"], directory)
Fs.rmSync(tarballs, { recursive: true })
const others = Lockfile.findOthers(Fs.readFileSync(Path.join(directory, "pnpm-lock.yaml"), "utf8"))
if (others.length > 0) throw new Error(`Other contents than those of the repository's lockfile: ${others.join(", ")}`)
