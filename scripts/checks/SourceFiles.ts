/**
 * Lists and reads the files of the workspace that the checks and their tests work on.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Packages from "../packages/Packages.ts"

const skipped = new Set(["node_modules", "dist", ".git"])

/** Returns the files below a directory, as paths relative to the root of the workspace. */
export const listBelow = (directory: string, root = Packages.root): ReadonlyArray<string> =>
  Fs.readdirSync(Path.join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = directory === "" ? entry.name : `${directory}/${entry.name}`
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : listBelow(path, root)
    return entry.isFile() ? [path] : []
  })

/** Returns the text of a file of the workspace. */
export const read = (path: string, root = Packages.root): string => Fs.readFileSync(Path.join(root, path), "utf8")

/** Returns whether a file is source code, by the end of its name. */
export const isSource = (path: string): boolean => /\.(?:ts|js|mjs|css|html)$/.test(path)
