import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs/promises"
import { createRequire } from "node:module"
import * as Os from "node:os"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { importInSteps, loadModules } from "../src/ImportInSteps.ts"

/** What the modules of a package write down when they are evaluated: their name, and the turn of the event loop. */
interface Evaluated {
  readonly name: string
  readonly turn: number
}

interface Log {
  turn: number
  readonly evaluated: Array<Evaluated>
}

// The thread that lists the modules has no log.
const record = (name: string) =>
  `globalThis.importInSteps?.evaluated.push({ name: "${name}", turn: globalThis.importInSteps.turn })`

/** A package with modules of both kinds, of which two import each other. */
const modules: Readonly<Record<string, string>> = {
  "package.json": `{ "name": "stepped", "type": "module", "exports": "./index.js" }`,
  "index.js": `import "./first.js"; import { b } from "./b.js"; import old from "./old.cjs"; ${record("index")}; export const values = [b, old.value]`,
  "first.js": `import "./leaf.js"; ${record("first")}`,
  "leaf.js": `import "node:path"; ${record("leaf")}`,
  // `a` works only if `b` is imported first, as by the entry.
  "b.js": `import { a } from "./a.js"; ${record("b")}; export const b = "b" + a()`,
  "a.js": `import "./b.js"; ${record("a")}; export const a = () => "a"`,
  "old.cjs": `const { value } = require("./older.cjs"); ${record("old")}; exports.value = value`,
  "older.cjs": `${record("older")}; exports.value = "older"`
}

/** Runs a test with the path of a module beside a package `stepped`, and with the log that the package writes. */
const withPackage = async (
  files: Readonly<Record<string, string>>,
  run: (parent: string, log: Log) => Promise<void>
): Promise<void> => {
  const directory = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-import-"))
  const log: Log = { turn: 0, evaluated: [] }
  Object.assign(globalThis, { importInSteps: log })
  let immediate = setImmediate(function turn() {
    log.turn++
    immediate = setImmediate(turn)
  })
  try {
    const root = Path.join(directory, "node_modules/stepped")
    await Fs.mkdir(root, { recursive: true })
    for (const [name, text] of Object.entries(files)) await Fs.writeFile(Path.join(root, name), text)
    await run(pathToFileURL(Path.join(await Fs.realpath(directory), "main.js")).href, log)
  } finally {
    clearImmediate(immediate)
    Reflect.deleteProperty(globalThis, "importInSteps")
    await Fs.rm(directory, { recursive: true, force: true })
  }
}

const of = (parent: string) => ({
  specifier: "stepped",
  owner: "owner",
  parent,
  load: (): Promise<{ readonly values: unknown }> => import(new URL("node_modules/stepped/index.js", parent).href)
})

/** Expects that each module was evaluated in a turn of its own, but for those that share one. */
const expectTurns = ({ evaluated }: Log, names: ReadonlyArray<string>, shared: ReadonlyArray<string> = []) => {
  assert.deepStrictEqual(
    evaluated.map(({ name }) => name),
    names
  )
  const turns = evaluated.filter(({ name }) => !shared.includes(name)).map(({ turn }) => turn)
  assert.strictEqual(new Set(turns).size, names.length - shared.length)
}

describe("importInSteps", () => {
  it("package with many modules → each in a turn of its own, in the order of one import", () =>
    withPackage(modules, async (parent, log) => {
      const { values } = await importInSteps(of(parent))
      assert.deepStrictEqual(values, ["ba", "older"])
      expectTurns(log, ["leaf", "first", "a", "b", "older", "old", "index"], ["a"])
    }))

  it("package that is required → each module in a turn of its own", () =>
    withPackage(
      {
        "package.json": `{ "name": "stepped", "exports": { "import": "./index.mjs", "require": "./index.cjs" } }`,
        "index.mjs": record("imported"),
        "index.cjs": `const { value } = require("./old.cjs"); ${record("index")}; exports.values = [value]`,
        "old.cjs": modules["old.cjs"] ?? "",
        "older.cjs": modules["older.cjs"] ?? ""
      },
      async (parent, log) => {
        await loadModules({ specifier: "stepped", parent, isRequired: true })
        assert.deepStrictEqual(createRequire(parent)("stepped").values, ["older"])
        expectTurns(log, ["older", "old", "index"])
      }
    ))

  it("package that does not resolve → the import itself", () =>
    withPackage(modules, async (parent, log) => {
      const { values } = await importInSteps({ ...of(parent), specifier: "missing" })
      assert.deepStrictEqual(values, ["ba", "older"])
      assert.lengthOf(log.evaluated, 7)
    }))

  it("package that throws → the error of the import", () =>
    withPackage({ ...modules, "leaf.js": `throw new Error("broken")` }, async (parent) => {
      const error = await importInSteps(of(parent)).then(
        () => undefined,
        (error: Error) => error.message
      )
      assert.strictEqual(error, "broken")
    }))
})
