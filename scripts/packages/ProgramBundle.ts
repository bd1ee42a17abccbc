/**
 * Builds the command line as a bundle into the compiled package: `dist/program`, and the module that replaces `Program.ts`.
 * Node needs most of the time of a start, and a third of the memory, for resolving and keeping some 700 modules; the bundle has
 * what the program uses of them.
 *
 * Optional packages are in the bundle, because they would otherwise load another copy of everything they share with it. They
 * still work only where they are installed, since the libraries that they depend on come with them.
 */
import { build, type Plugin } from "esbuild"
import * as Fs from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import * as BuiltinModules from "./BuiltinModules.ts"

/** A package name, and the rest of the specifier. */
const specifier = /^((?:@[^/]+\/)?[^/]+)(?:\/(.+))?$/

const optional = new Set(["@holdfast/azure", "@holdfast/ffmpeg", "@holdfast/gcs", "@holdfast/s3"])

/** The libraries that the bundle contains. All others that an optional package imports are loaded from where it is installed. */
const isBundled = (name: string): boolean => name === "effect" || name.startsWith("@effect/")

/** Resolves the packages of the workspace to their compiled modules, and imports of what is optional as described above. */
const resolvePackages = (directories: ReadonlyMap<string, string>): Plugin => ({
  name: "packages",
  setup: ({ onLoad, onResolve }) => {
    const compiled = (name: string, module: string): string =>
      Path.join(directories.get(name) ?? "", "dist", `${module}.js`)

    /** Returns the optional package that a file belongs to. */
    const ownerOf = (file: string): string | undefined =>
      [...optional].find((name) => file.startsWith(`${directories.get(name)}${Path.sep}`))

    onResolve({ filter: /^[^./]/ }, ({ importer, kind, path }) => {
      const [, name = "", module = "index"] = specifier.exec(path) ?? []
      if (directories.has(name)) {
        return optional.has(name) && kind === "dynamic-import"
          ? { path, namespace: "optional" }
          : { path: compiled(name, module) }
      }
      const owner = ownerOf(importer)
      return owner === undefined || path.startsWith("node:") || isBundled(name)
        ? undefined
        : { path, namespace: "foreign", pluginData: owner }
    })

    // Fails with the error of a missing package where it is not installed.
    onLoad({ filter: /./, namespace: "optional" }, ({ path }) => {
      const [, name = "", module = "index"] = specifier.exec(path) ?? []
      const file = JSON.stringify(compiled(name, module))
      return {
        contents: `import ${JSON.stringify(`installed:${name}`)}\nexport * from ${file}`,
        resolveDir: directories.get(name) ?? ""
      }
    })
    onResolve({ filter: /^installed:/ }, ({ path }) => ({
      path: path.slice("installed:".length),
      namespace: "installed",
      sideEffects: true
    }))
    onLoad({ filter: /./, namespace: "installed" }, ({ path }) => ({
      contents: `import.meta.resolve(${JSON.stringify(path)})`
    }))

    onLoad({ filter: /./, namespace: "foreign" }, ({ path, pluginData: owner }) => {
      const library = createRequire(compiled(owner, "index"))(path)
      const names = Object.keys(library).filter((name) => /^[A-Za-z_]\w*$/.test(name) && name !== "default")
      return {
        contents: `import { createRequire } from "node:module"
          export const { ${names.join(", ")} } =
            createRequire(import.meta.resolve(${JSON.stringify(owner)}))(${JSON.stringify(path)})`
      }
    })
  }
})

/** Returns the directory of the package that a module belongs to; undefined for one of the workspace. */
const libraryOf = (file: string): string | undefined =>
  /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file.replaceAll("\\", "/"))?.[0]

/** The texts of licences (SPDX) for libraries whose packages contain no file with theirs. */
const licenceTexts: Readonly<Record<string, string>> = {
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that
the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES
OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR
ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS
ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`
}

/** Returns the licence that the manifest of a library states, with its author. */
const statedLicence = (name: string, manifest: string): string => {
  const { author, license }: { readonly author?: unknown; readonly license?: unknown } = JSON.parse(manifest)
  const text = licenceTexts[String(license)]
  if (text === undefined || typeof author !== "string") throw new Error(`${name} has no licence.`)
  return `${String(license)}\n\nCopyright (c) ${author} and contributors\n\n${text}`
}

/** Returns the licences of the libraries of a bundle. Each has to be with every copy of its code. */
const licencesOf = (root: string, files: ReadonlyArray<string>): string => {
  const libraries = new Set(files.flatMap((file) => libraryOf(file) ?? []))
  return [...libraries]
    .toSorted()
    .map((library) => {
      const directory = Path.join(root, library)
      const licence = Fs.readdirSync(directory).find((name) => /^licen[cs]e/i.test(name))
      const name = library.slice(library.lastIndexOf("node_modules/") + "node_modules/".length)
      const text = Fs.readFileSync(Path.join(directory, licence ?? "package.json"), "utf8").trim()
      return `${name}\n\n${licence === undefined ? statedLicence(name, text) : text}\n`
    })
    .join(`\n${"-".repeat(80)}\n\n`)
}

/**
 * @param root The root directory of the workspace, whose packages are compiled.
 * @param packages Their directories, by name.
 */
export const write = async (root: string, packages: ReadonlyMap<string, string>): Promise<void> => {
  const dist = Path.join(root, "packages/http/dist")
  const program = Path.join(dist, "program")
  Fs.rmSync(program, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [Path.join(dist, "cli/Main.js")],
    outdir: program,
    plugins: [BuiltinModules.lazy, resolvePackages(packages)],
    // A dependency is CommonJS, and an ES module has no `require`.
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);'
    },
    bundle: true,
    // `ImportInSteps` loads libraries as `foreign` does.
    define: { HOLDFAST_PROGRAM: "true" },
    // Node keeps the texts of modules in memory. Names stay, for the stacks of errors.
    minifyWhitespace: true,
    minifySyntax: true,
    splitting: true,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node22",
    logLevel: "warning"
  })
  Fs.writeFileSync(Path.join(program, "LICENSES.txt"), licencesOf(root, Object.keys(metafile.inputs)))
  Fs.writeFileSync(Path.join(dist, "Program.js"), 'export { run } from "./program/Main.js"\n')
  Fs.rmSync(Path.join(dist, "Program.js.map"), { force: true })
}
