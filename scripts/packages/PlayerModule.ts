/**
 * Builds the assets of player pages into the compiled package: writes the module that replaces `players/PlayerSources.ts`.
 */
import { build } from "esbuild"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as PlayerSources from "../../packages/http/src/players/PlayerSources.ts"

const browser = Path.join(import.meta.dirname, "../../packages/http/src/players/browser")

/** Returns one script for each page, so that a browser does not request its modules one by one. By name without extension. */
export const bundle = async (): Promise<Readonly<Record<string, string>>> => {
  const { outputFiles } = await build({
    entryPoints: ["Player", "SharePage"].map((name) => Path.join(browser, `${name}.js`)),
    outdir: browser,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    write: false,
    logLevel: "error"
  })
  return Object.fromEntries(outputFiles.map(({ path, text }) => [Path.basename(path, ".js"), text]))
}

/** @param root The root directory of the workspace, whose packages are compiled. */
export const write = async (root: string): Promise<void> => {
  const path = Path.join(root, "packages/http/dist/players/PlayerSources.js")
  // A function, so that importing the module does not create a megabyte of texts.
  const sources = { ...PlayerSources.read(), modules: await bundle() }
  await Fs.writeFile(path, `export const read = () => (${JSON.stringify(sources)})\n`)
  await Fs.rm(`${path}.map`, { force: true })
}
