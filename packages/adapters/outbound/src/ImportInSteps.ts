/**
 * Imports a large package without a long pause of the event loop.
 *
 * Node loads a package and all that it imports in one turn of the event loop: 100 to 500 ms for the SDK of a cloud, in which the
 * process answers no request. A thread cannot load it for another one, but it can find out which modules there are. This module
 * then imports them one by one, each after those that it imports, and lets the event loop turn between them.
 */
import { setImmediate } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { type Import, orderOf } from "./internal/ModuleOrder.ts"

/**
 * The program of the thread, which a worker runs as CommonJS. It is a text, because a bundler does not find a file that no import
 * names.
 */
const program = `
const { parentPort, workerData: { parent, specifier } } = process.getBuiltinModule("node:worker_threads")
const imports = []
let entry
process.getBuiltinModule("node:module").registerHooks({
  resolve(name, context, next) {
    const isEntry = entry === undefined
    const resolved = isEntry ? next(name, { ...context, parentURL: parent }) : next(name, context)
    entry ??= resolved.url
    if (!isEntry && resolved.url.startsWith("file:")) imports.push([context.parentURL, resolved.url])
    return resolved
  }
})
import(specifier).then(() => parentPort.postMessage({ entry, imports }))
`

interface Found {
  readonly entry: string
  readonly imports: ReadonlyArray<Import>
}

/** Returns the modules of a package in the order in which they can be imported. Rejects where the runtime cannot list them. */
const findModules = async (specifier: string, parent: string): Promise<ReadonlyArray<string>> => {
  // What a package writes when it is loaded is written by this thread. Other threads would run the preloaded modules of `execArgv`.
  const options = { eval: true, execArgv: [], stdout: true, stderr: true, workerData: { parent, specifier } }
  const worker = new Worker(program, { ...options, name: "holdfast-modules" })
  try {
    const found = await new Promise<Found>((resolve, reject) => {
      worker.once("message", resolve)
      worker.once("error", reject)
      worker.once("exit", () => reject(new Error("The thread has found no modules.")))
    })
    return orderOf(found.entry, found.imports)
  } finally {
    void worker.terminate()
  }
}

/** Imports a module, and resolves after the event loop has turned. */
const importOne = async (url: string): Promise<void> => {
  await import(/* webpackIgnore: true */ /* @vite-ignore */ url)
  await setImmediate()
}

/**
 * Imports a package module by module. Takes longer than the import itself, and as much processor time again on another thread.
 * Where modules cannot be listed, such as in a bundle or in another runtime than Node, it is the import itself.
 *
 * @param specifier What `load` imports.
 * @param parent The `import.meta.url` of the module that contains `load`.
 */
export const importInSteps = async <A>(specifier: string, parent: string, load: () => Promise<A>): Promise<A> => {
  try {
    const urls = await findModules(specifier, parent)
    await urls.reduce((former, url) => former.then(() => importOne(url)), Promise.resolve())
  } catch {
    // `load` works, or fails with the error that the caller expects.
  }
  return load()
}
