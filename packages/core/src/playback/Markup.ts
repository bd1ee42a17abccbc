/**
 * Escapes untrusted text for HTML.
 */

const references: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Characters that HTML must not contain, not even as references. */
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]/g

/** Escapes a text for the content of an element or an attribute value in double quotes. */
export const escape = (text: string): string =>
  text
    .toWellFormed()
    .replace(forbidden, "\ufffd")
    .replace(/[&<>"']/g, (character) => references[character] ?? "")

/** Returns an attribute after a space: nothing for false and undefined, only the name for true. */
export const attribute = (name: string, value: string | number | boolean | undefined): string => {
  if (value === undefined || value === false) return ""
  return value === true ? ` ${name}` : ` ${name}="${escape(String(value))}"`
}

/** Returns a value as JSON for a script element that contains data. No text in it can end the element. */
export const data = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
