/**
 * Imports a large package without a long pause of the event loop.
 *
 * Node loads a package and all that it imports in one turn of the event loop: 100 to 500 ms for the SDK of a cloud, in which the
 * process answers no request. A thread cannot load it for another one, but it can find out which modules there are. This module
 * then imports them one by one, each after those that it imports, and lets the event loop turn between them.
 */
import { createRequire } from "node:module"
import { setImmediate } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { type Import, orderOf } from "./internal/ModuleOrder.ts"

/** The bundle of the command line defines it: there, optional packages load their libraries with `require`. */
declare const HOLDFAST_PROGRAM: boolean | undefined

/** How a package is loaded. */
interface Loading {
  readonly specifier: string
  /** The URL of the module that loads it. */
  readonly parent: string
  readonly isRequired: boolean
}

/**
 * The program of the thread, which a worker runs as CommonJS. It is a text, because a bundler does not find a file that no import
 * names.
 */
const program = `
const { parentPort, workerData: { isRequired, parent, specifier } } = process.getBuiltinModule("node:worker_threads")
const { createRequire, registerHooks } = process.getBuiltinModule("node:module")
const imports = []
let entry
registerHooks({
  resolve(name, context, next) {
    const isEntry = entry === undefined
    const resolved = isEntry ? next(name, { ...context, parentURL: parent }) : next(name, context)
    entry ??= resolved.url
    if (!isEntry && resolved.url.startsWith("file:")) imports.push([context.parentURL, resolved.url])
    return resolved
  }
})
const load = async () => (isRequired ? createRequire(parent)(specifier) : import(specifier))
load().then(() => parentPort.postMessage({ entry, imports }))
`

interface Found {
  readonly entry: string
  readonly imports: ReadonlyArray<Import>
}

/** Returns the modules of a package in the order in which they can be loaded. Rejects where the runtime cannot list them. */
const findModules = async (loading: Loading): Promise<ReadonlyArray<string>> => {
  // What a package writes when it is loaded is written by this thread. Other threads would run the preloaded modules of `execArgv`.
  const options = { eval: true, execArgv: [], stdout: true, stderr: true, workerData: loading }
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

/** Returns a function that loads a module, and resolves after the event loop has turned. */
const loadOne = ({ isRequired, parent }: Loading) => {
  const require = createRequire(parent)
  return async (url: string): Promise<void> => {
    if (isRequired) require(fileURLToPath(url))
    else await import(/* webpackIgnore: true */ /* @vite-ignore */ url)
    await setImmediate()
  }
}

export interface Options<A> {
  /** What `load` imports. */
  readonly specifier: string
  /** The package that depends on it. */
  readonly owner: string
  /** The `import.meta.url` of the module that contains `load`. */
  readonly parent: string
  readonly load: () => Promise<A>
}

/**
 * Loads the modules of a package one by one, as `load` or, if `isRequired`, as the bundle of the command line does. What remains for `load`
 * is to find them.
 */
export const loadModules = async (loading: Loading): Promise<void> => {
  const urls = await findModules(loading)
  const load = loadOne(loading)
  await urls.reduce((former, url) => former.then(() => load(url)), Promise.resolve())
}

/**
 * Imports a package module by module. Takes longer than the import itself, and as much processor time again on another thread.
 * Where modules cannot be listed, such as in a bundle of an application or in another runtime than Node, it is the import itself.
 */
export const importInSteps = async <A>({ load, owner, parent, specifier }: Options<A>): Promise<A> => {
  const isRequired = typeof HOLDFAST_PROGRAM !== "undefined"
  try {
    await loadModules({ specifier, parent: isRequired ? import.meta.resolve(owner) : parent, isRequired })
  } catch {
    // `load` works, or fails with the error that the caller expects.
  }
  return load()
}
