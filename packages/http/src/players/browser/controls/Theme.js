/**
 * The style rules of the page that shows the player in a frame. They select the parts of the player by `::part(name)`, as they would in the
 * page itself if the player were an element of it. The Content-Security-Policy of the player applies to their addresses.
 */

/** Characters of all rules. */
const maxLength = 65_536

/** Only elements in a shadow tree have parts for `::part`; those of the player are elements of its document. */
const part = /::part\(\s*([\w-]+(?:\s+[\w-]+)*)\s*\)/g

/** @param {string} names */
const selectorOf = (names) =>
  names
    .split(/\s+/)
    .map((name) => `[part~="${name}"]`)
    .join("")

/**
 * Applies rules in place of those applied before. Does nothing with more than 65,536 characters, and in browsers without constructable
 * style sheets. Rules that the browser cannot parse are ignored.
 *
 * @param {string} text
 */
export const apply = (text) => {
  if (text.length > maxLength || !("adoptedStyleSheets" in document)) return
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text.replace(part, (_, names) => selectorOf(names)))
  document.adoptedStyleSheets = [sheet]
}
