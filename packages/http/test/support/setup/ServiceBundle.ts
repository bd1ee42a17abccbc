/**
 * Bundles the command line before the tests run, for `Process`.
 *
 * The tests start hundreds of processes. A process loads 1,900 modules from the sources, of which Node strips the types, and
 * needs twice the processor time until it is ready.
 */
import { build, type Plugin } from "esbuild"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import * as BuiltinModules from "../../../../../scripts/packages/BuiltinModules.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The directory of the bundle. */
    readonly serviceBundle: string
  }
}

const http = fileURLToPath(new URL("../../../", import.meta.url))

/** As deep in the package as `src/cli`: modules read files of the package by paths relative to themselves. */
const directory = Path.join(http, "node_modules/.service")

/** Names in a bundle the modification times of the files that it depends on. */
const record = "inputs.json"

const entryPoints = {
  main: Path.join(http, "src/main.ts"),
  DatabaseThread: Path.join(http, "../adapters/sqlite/src/internal/threads/DatabaseThread.ts")
}

/** Bundles the modules of Holdfast and Effect. Node loads every other package as it does without a bundle. */
const onlyOwn: Plugin = {
  name: "only-own",
  setup: ({ onResolve, resolve }) => {
    onResolve({ filter: /^[^./]/ }, async ({ importer, kind, path, pluginData, resolveDir }) => {
      if (kind === "entry-point" || pluginData === onlyOwn || /^(?:effect|@effect|@holdfast)(?:\/|$)/.test(path)) return
      const found = await resolve(path, { importer, kind, resolveDir, pluginData: onlyOwn })
      return { ...found, external: true }
    })
  }
}

const modifiedAt = async (paths: ReadonlyArray<string>): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries(await Promise.all(paths.map(async (path) => [path, (await Fs.stat(path)).mtimeMs])))

/** Returns the files that a bundle depends on: its modules, and the manifests that say where imports lead. */
const dependencies = (modules: ReadonlyArray<string>): ReadonlyArray<string> => {
  const manifests = modules.flatMap((path) => {
    const [, root] = /^(.*\/packages\/.*)\/src\//.exec(path) ?? []
    return root === undefined || path.includes("/node_modules/") ? [] : [Path.join(root, "package.json")]
  })
  return [...new Set([...modules, ...manifests])]
}

const isCurrent = async (): Promise<boolean> => {
  try {
    const recorded = JSON.parse(await Fs.readFile(Path.join(directory, record), "utf8"))
    return JSON.stringify(await modifiedAt(Object.keys(recorded))) === JSON.stringify(recorded)
  } catch {
    return false
  }
}

const bundle = async (): Promise<void> => {
  if (await isCurrent()) return
  const outdir = `${directory}-${process.pid}`
  const { metafile } = await build({
    absWorkingDir: http,
    entryPoints,
    outdir,
    plugins: [BuiltinModules.lazy, onlyOwn],
    mainFields: ["main"],
    bundle: true,
    splitting: true,
    minifyWhitespace: true,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node22",
    logLevel: "warning"
  })
  // Below `node_modules` the manifest of the package does not count, and Node would parse each module to see that it is one.
  await Fs.writeFile(Path.join(outdir, "package.json"), JSON.stringify({ type: "module" }))
  const files = Object.keys(metafile.inputs).filter((path) => !path.startsWith(BuiltinModules.namespace))
  const modules = files.map((path) => Path.resolve(http, path))
  await Fs.writeFile(Path.join(outdir, record), JSON.stringify(await modifiedAt(dependencies(modules))))
  // Another run of the tests may do the same.
  await Fs.rm(directory, { recursive: true, force: true })
  await Fs.rename(outdir, directory).catch(() => Fs.rm(outdir, { recursive: true }))
}

/** Makes the bundle, and makes it again when watched files have changed. */
export const setup = async (project: TestProject): Promise<void> => {
  await bundle()
  project.provide("serviceBundle", directory)
  project.onTestsRerun(bundle)
}
