/**
 * Runs the program of the bundle, in place of `src/Program.ts`, with the code that V8 has compiled in an earlier process.
 *
 * The code that Node keeps of a module has the functions that ran while it was compiled. V8 compiles all others again in each process: a
 * fifth of the processor time of a start. The code of a script has all functions that have run when it is made.
 */
import * as Fs from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { constants, Script } from "node:vm"

interface Program {
  readonly run: (args: ReadonlyArray<string>) => Promise<number>
}

const filename = fileURLToPath(new URL("program.cjs", import.meta.url))

const code = fileURLToPath(new URL("program.code", import.meta.url))

// Before `main.ts` runs: V8 accepts code only with the flags that it was compiled with, and `HeapGrowth` changes one.
const script = new Script(
  `(function (exports, require, module, importMetaUrl) {${Fs.readFileSync(filename, "latin1")}\n})`,
  {
    filename,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(Fs.existsSync(code) ? { cachedData: Fs.readFileSync(code) } : {})
  }
)

/** Node warns on standard error, which tests compare, that the loader of a script's imports is experimental. */
const { emitWarning } = process
Object.assign(process, {
  emitWarning: (warning: string | Error, ...rest: ReadonlyArray<unknown>): void => {
    if (!String(warning).includes("USE_MAIN_CONTEXT_DEFAULT_LOADER")) {
      Reflect.apply(emitWarning, process, [warning, ...rest])
    }
  }
})

/** Keeps the code of all functions that have run when this process exits. The service has reset the flags of V8 then. */
if (process.env["KEEP_COMPILED_CODE"] !== undefined) {
  process.once("exit", () => Fs.writeFileSync(code, script.createCachedData()))
}

/** Runs a command. Returns the exit status. */
export const run: Program["run"] = (args) => {
  const module: { exports: Partial<Program> } = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(import.meta.url), module, import.meta.url)
  if (module.exports.run === undefined) throw new Error(`${filename} exports no run.`)
  return module.exports.run(args)
}
