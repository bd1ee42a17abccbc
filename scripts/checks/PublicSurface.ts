/**
 * Checks that packages export no module of an `internal` folder, neither in the workspace nor as they are published.
 */
import * as Exports from "../packages/Exports.ts"
import type { Finding } from "./Finding.ts"

/** One package: its directory, its manifest, and its modules as paths below `src` without extension. */
export interface Package {
  readonly directory: string
  readonly manifest: {
    readonly exports: Exports.Exports
    readonly publishConfig: { readonly exports: Exports.Exports }
  }
  readonly modules: ReadonlyArray<string>
}

const isInternal = (module: string): boolean => module.split("/").slice(0, -1).includes("internal")

/** Returns a finding for every internal folder that a manifest exports. */
export const check = (packages: ReadonlyArray<Package>): ReadonlyArray<Finding> =>
  packages.flatMap(({ directory, manifest, modules }) => {
    const path = `${directory}/package.json`
    const internal = modules.filter(isInternal)
    return (
      [
        ["exports", manifest.exports],
        ["publishConfig.exports", manifest.publishConfig.exports]
      ] as const
    ).flatMap(([field, exports]) => {
      const exported = internal.filter((module) => Exports.isExported(exports, `./${module}`))
      const folders = new Set(exported.map((module) => module.slice(0, module.lastIndexOf("internal/") + 8)))
      return Array.from(folders, (folder) => ({ path, message: `${field} lacks "./${folder}/*": null` }))
    })
  })
