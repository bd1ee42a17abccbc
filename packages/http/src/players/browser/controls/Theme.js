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

/** The selectors that are left: parts, with pseudo-classes and pseudo-elements without arguments. */
const selectors = /^(?:\[part~="[\w-]+"\])+(?:::?[\w-]+)*(?:, (?:\[part~="[\w-]+"\])+(?:::?[\w-]+)*)*$/

/**
 * Removes rules that select anything but parts. The page has keys in attributes, such as the address of the poster: rules that select by
 * them, and load an address that depends on what they have selected, would give a key to the page that sends the rules.
 *
 * @param {CSSStyleSheet | CSSMediaRule | CSSSupportsRule} group
 */
const removeOthers = (group) => {
  for (let index = group.cssRules.length - 1; index >= 0; index--) {
    const rule = group.cssRules[index]
    if (rule instanceof CSSMediaRule || rule instanceof CSSSupportsRule) removeOthers(rule)
    else if (rule instanceof CSSStyleRule && selectors.test(rule.selectorText)) {
      // Rules in it have selectors of their own.
      while (rule.cssRules?.length > 0) rule.deleteRule(0)
    } else if (!(rule instanceof CSSKeyframesRule || rule instanceof CSSFontFaceRule)) group.deleteRule(index)
  }
}

/**
 * Applies rules in place of those applied before. Does nothing with more than 65,536 characters, and in browsers without constructable
 * style sheets. Rules that the browser cannot parse, or that select anything but parts, are ignored.
 *
 * @param {string} text
 */
export const apply = (text) => {
  if (text.length > maxLength || !("adoptedStyleSheets" in document)) return
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text.replace(part, (_, names) => selectorOf(names)))
  removeOthers(sheet)
  document.adoptedStyleSheets = [sheet]
}
