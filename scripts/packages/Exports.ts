/**
 * What a package exports, by its manifest.
 */

/** The field `exports` of a manifest: subpath patterns, with null for subpaths that are not exported. */
export type Exports = Readonly<Record<string, unknown>>

/**
 * Returns whether a package exports a subpath such as `./files/Files`, by the algorithm of Node
 * (https://nodejs.org/api/esm.html#resolution-algorithm-specification): an exact entry wins, then the pattern with the longest
 * text before its star.
 */
export const isExported = (exports: Exports, subpath: string): boolean => {
  if (subpath in exports) return exports[subpath] !== null
  const patterns = Object.keys(exports)
    .filter((key) => key.endsWith("*") && subpath.startsWith(key.slice(0, -1)))
    .toSorted((a, b) => b.length - a.length)
  const [longest] = patterns
  return longest !== undefined && exports[longest] !== null
}
