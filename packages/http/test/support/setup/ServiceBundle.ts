/**
 * Bundles the command line before the tests run, for `Process`.
 *
 * The tests start hundreds of processes. A process loads 1,900 modules from the sources, of which Node strips the types, and
 * needs twice the processor time until it is ready. The bundle is a script, whose compiled code is kept: see `CompiledProgram`.
 */
import { build, type BuildOptions, type Plugin } from "esbuild"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
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

const compiledProgram = fileURLToPath(new URL("CompiledProgram.ts", import.meta.url))

/** Imports `CompiledProgram` before the executable, and in place of the program that the executable imports. */
const executable: Plugin = {
  name: "executable",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^executable$/ }, ({ path }) => ({ path, namespace: path }))
    onLoad({ filter: /./, namespace: "executable" }, () => ({
      contents: [compiledProgram, Path.join(http, "src/main.ts")]
        .map((path) => `import ${JSON.stringify(path)}`)
        .join("\n"),
      resolveDir: http
    }))
    // The manifest says that importing a module of the package has no effect.
    onResolve({ filter: /^\.\/Program\.ts$|\/CompiledProgram\.ts$/ }, () => ({
      path: compiledProgram,
      sideEffects: true
    }))
  }
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

/** Milliseconds for the start and the end of a service. */
const startLimit = 120_000

/** Starts a service and stops it, so that the functions which ran are compiled in later processes. */
const compile = async (outdir: string): Promise<void> => {
  const data = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-bundle-"))
  const service = spawn(process.execPath, [Path.join(outdir, "main.js"), "serve", "--port", "0", "--data-dir", data], {
    env: {
      // As for the processes of the tests.
      XDG_CACHE_HOME: outdir,
      KEEP_COMPILED_CODE: "1",
      HOLDFAST_CONVERSIONS: "0",
      HOLDFAST_DRAIN_DELAY: "0"
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const exited = once(service, "close", { signal: AbortSignal.timeout(startLimit) })
  service.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (text.includes("reference: ")) service.kill()
  })
  const [status] = await exited.finally(() => service.kill("SIGKILL"))
  if (status !== 0) throw new Error(`The service of the bundle ended with status ${status}.`)
  await Fs.rm(data, { recursive: true, force: true })
}

const bundle = async (): Promise<void> => {
  if (await isCurrent()) return
  const outdir = `${directory}-${process.pid}`
  const options = {
    absWorkingDir: http,
    outdir,
    mainFields: ["main"],
    bundle: true,
    minifyWhitespace: true,
    metafile: true,
    platform: "node",
    target: "node22",
    logLevel: "warning"
  } as const satisfies BuildOptions
  const program = await build({
    ...options,
    entryPoints: { program: Path.join(http, "src/Program.ts") },
    outExtension: { ".js": ".cjs" },
    plugins: [BuiltinModules.lazy, onlyOwn],
    define: { "import.meta.url": "importMetaUrl" },
    format: "cjs"
  })
  const others = await build({
    ...options,
    entryPoints: {
      main: "executable",
      DatabaseThread: Path.join(http, "../adapters/sqlite/src/internal/threads/DatabaseThread.ts")
    },
    plugins: [executable, BuiltinModules.lazy, onlyOwn],
    format: "esm"
  })
  // Below `node_modules` the manifest of the package does not count, and Node would parse each module to see that it is one.
  await Fs.writeFile(Path.join(outdir, "package.json"), JSON.stringify({ type: "module" }))
  await compile(outdir)
  const inputs = [program, others].flatMap(({ metafile }) => Object.keys(metafile.inputs))
  const files = inputs.filter((path) => !/^(?:builtin|executable):/.test(path))
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
