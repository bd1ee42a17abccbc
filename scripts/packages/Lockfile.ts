/**
 * The lockfile of the workspace, against which installations elsewhere are compared.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { parse } from "yaml"
import { root } from "./Packages.ts"

export const path = Path.join(root, "pnpm-lock.yaml")

/** The digests of the packages of a lockfile, by name and version. */
const readDigests = (text: string): ReadonlyMap<string, string | undefined> => {
  const { packages = {} } = parse(text) as {
    readonly packages?: { readonly [id: string]: { readonly resolution: { readonly integrity?: string } } }
  }
  return new Map(Object.entries(packages).map(([id, { resolution }]) => [id, resolution.integrity]))
}

/** Returns the packages of another lockfile that the lockfile of the workspace does not have with the same content, except its own. */
export const findOthers = (text: string): ReadonlyArray<string> => {
  const locked = readDigests(Fs.readFileSync(path, "utf8"))
  return [...readDigests(text)]
    .filter(([id, digest]) => !id.startsWith("@holdfast/") && (digest === undefined || locked.get(id) !== digest))
    .map(([id]) => id)
}
