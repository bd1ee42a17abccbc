/**
 * Checks that the folders of a package depend on each other in one direction only.
 *
 * A package lists its folders from the bottom layer to the top one. A file may import from its own folder and from lower
 * layers. Folders that stay independent of each other are listed in the same layer. Type-only imports count too: a type
 * that leads upwards is a sign of a concept in the wrong folder.
 */
import * as Path from "node:path"
import type { Finding } from "./Finding.ts"
import * as Imports from "./Imports.ts"

export interface Layering {
  /** The folder that the layers are relative to. */
  readonly folder: string
  /**
   * From the bottom to the top. A folder includes its sub-folders, except those that are listed separately; `.` means
   * the files directly in `folder`.
   */
  readonly layers: ReadonlyArray<ReadonlyArray<string>>
}

export interface Source {
  /** Relative to the root of the workspace. */
  readonly path: string
  readonly text: string
}

interface Part {
  readonly name: string
  readonly layer: number
}

const makeFind = ({ layers }: Layering): ((path: string) => Part | undefined) => {
  const parts = layers
    .flatMap((names, layer) => names.map((name) => ({ name, layer })))
    .toSorted((a, b) => b.name.length - a.name.length)
  return (path) =>
    parts.find(({ name }) => path === name || path.startsWith(`${name}/`)) ??
    (path.includes("/") ? undefined : parts.find(({ name }) => name === "."))
}

/** Returns whether a file is one whose imports the layering restricts. */
export const isIn = ({ folder }: Layering, path: string): boolean =>
  path.startsWith(`${folder}/`) && /\.(?:ts|js|mjs)$/.test(path)

/** Returns a finding for every import that leads to a higher layer or to another folder of the same layer. */
export const check = (layering: Layering, sources: ReadonlyArray<Source>): ReadonlyArray<Finding> => {
  const find = makeFind(layering)
  return sources.flatMap(({ path, text }): ReadonlyArray<Finding> => {
    const own = Path.posix.relative(layering.folder, path)
    const part = find(own)
    if (part === undefined) return [{ path, message: `is in none of the layers of ${layering.folder}` }]
    return Imports.parse(path, text).flatMap(({ line, specifier }) => {
      if (!specifier.startsWith(".")) return []
      const target = Path.posix.join(Path.posix.dirname(own), specifier)
      const other = find(target)
      if (other === undefined || other.name === part.name || other.layer < part.layer) return []
      const relation = other.layer === part.layer ? "stays independent of" : "is a lower layer than"
      return [{ path, line, message: `imports ${target}, but ${part.name} ${relation} ${other.name}` }]
    })
  })
}
