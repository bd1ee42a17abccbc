/**
 * The anchors of headings in pages, as GitHub makes them. The site of docs/ uses the same, so that a link works in both.
 */

/** Returns the anchor of a heading with this text, without `#`. */
export const slug = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-")

/** Returns the anchors of all headings of a page. Those of equal headings get a number. */
export const inPage = (text: string): ReadonlySet<string> => {
  const anchors = new Set<string>()
  for (const [, heading = ""] of text.replaceAll(/^```.*?^```/gms, "").matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = slug(heading)
    let unique = anchor
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`
    anchors.add(unique)
  }
  return anchors
}
