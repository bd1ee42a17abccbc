/**
 * Adds adaptation sets to a manifest of DASH (ISO/IEC 23009-1, 5.3.3).
 */

/** Returns the manifest with further adaptation sets. `render` returns their lines, given the id of the first one. */
export const add = (manifest: string, render: (first: number) => string): string => {
  const count = manifest.match(/<AdaptationSet /g)?.length ?? 0
  return manifest.replace(/[\t ]*<\/Period>/, (end) => `${render(count)}${end}`)
}
