/**
 * Checks that no folder holds so many source files that its parts need folders of their own.
 */
import * as Path from "node:path"
import type { Finding } from "./Finding.ts"
import * as SourceFiles from "./SourceFiles.ts"

/** Source files directly in one folder; those in sub-folders do not count. */
const maxFiles = 20

/** Returns a finding for every folder that holds more source files than allowed. */
export const check = (paths: ReadonlyArray<string>): ReadonlyArray<Finding> => {
  const counts = new Map<string, number>()
  for (const path of paths.filter(SourceFiles.isSource)) {
    const folder = Path.posix.dirname(path)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > maxFiles)
    .map(([path, count]) => ({ path, message: `holds ${count} source files; group them into folders of at most 20` }))
}
