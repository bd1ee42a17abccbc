/**
 * Builds the program of a database's thread into the compiled package: writes the module that replaces
 * `internal/threads/StartWorker.ts`.
 */
import { build } from "esbuild"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** @param root The root directory of the workspace, whose packages are compiled. */
export const write = async (root: string): Promise<void> => {
  const threads = Path.join(root, "packages/adapters/sqlite/dist/internal/threads")
  const { outputFiles } = await build({
    entryPoints: [Path.join(threads, "DatabaseThread.js")],
    bundle: true,
    minify: true,
    // A worker runs a text as CommonJS.
    format: "cjs",
    platform: "node",
    target: "node22",
    write: false,
    logLevel: "warning"
  })
  const program = outputFiles[0]?.text ?? ""
  const module = [
    'import { Worker } from "node:worker_threads"',
    `const program = ${JSON.stringify(program)}`,
    "export const startWorker = (options) => new Worker(program, { ...options, eval: true })"
  ]
  const path = Path.join(threads, "StartWorker.js")
  await Fs.writeFile(path, `${module.join("\n")}\n`)
  await Fs.rm(`${path}.map`, { force: true })
}
