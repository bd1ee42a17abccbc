/**
 * Builds @holdfast/client: its modules with all that they import, as a bundle and as declarations.
 */
import { build } from "esbuild"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Declarations from "./declarations/Declarations.ts"

const modules = ["index", "react", "elements", "webhooks"]

/** @param root The root directory of the workspace. */
export const write = async (root: string): Promise<void> => {
  const [source, destination] = ["src", "dist"].map((name) => Path.join(root, "packages/client", name)) as [
    string,
    string
  ]
  Fs.rmSync(destination, { recursive: true, force: true })
  Fs.mkdirSync(destination)
  await build({
    entryPoints: modules.map((name) => Path.join(source, `${name}.ts`)),
    outdir: destination,
    external: ["react"],
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    logLevel: "warning"
  })
  Declarations.write({ source, modules, destination })
}
