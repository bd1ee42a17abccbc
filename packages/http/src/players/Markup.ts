/**
 * Text from strangers, written into HTML.
 */

const references: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Characters that no HTML may hold, not even as a reference. */
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]/g

/** For the content of an element, and for the value of an attribute in double quotes. */
export const escape = (text: string): string =>
  text
    .toWellFormed()
    .replace(forbidden, "\ufffd")
    .replace(/[&<>"']/g, (character) => references[character] ?? "")

/** An attribute with a space before it; nothing for false and undefined, the name alone for true. */
export const attribute = (name: string, value: string | number | boolean | undefined): string => {
  if (value === undefined || value === false) return ""
  return value === true ? ` ${name}` : ` ${name}="${escape(String(value))}"`
}

/** A value for a script element that holds data: no text in it can end the element. */
export const data = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
