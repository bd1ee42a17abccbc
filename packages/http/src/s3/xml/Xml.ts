/**
 * Writes the XML documents of the S3 API.
 */

/** An element: its name, maybe with attributes, and its text or its children. An element whose content is undefined is left out. */
export type Element = readonly [name: string, content: Content]
export type Content = string | number | boolean | undefined | ReadonlyArray<Element>

const namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

/** The characters that XML 1.0 cannot express at all, not even as references. */
// oxlint-disable-next-line no-control-regex
const unwritable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

const replacements: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  // A parser would normalize the end of a line.
  "\r": "&#13;"
}

/** Returns a text as the content of an element. Characters that XML cannot express become U+FFFD. */
export const escape = (text: string): string =>
  text.replace(unwritable, "\uFFFD").replace(/[&<>"'\r]/g, (character) => replacements[character] ?? "")

const write = ([name, content]: Element): string => {
  if (content === undefined) return ""
  const inner = Array.isArray(content) ? content.map(write).join("") : escape(String(content))
  return `<${name}>${inner}</${name.replace(/ .*/, "")}>`
}

/** Returns a document with this root. */
export const document = (name: string, content: ReadonlyArray<Element>): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="${namespace}">${content.map(write).join("")}</${name}>`

/** Returns a document without a namespace, as errors are. */
export const plainDocument = (name: string, content: ReadonlyArray<Element>): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${write([name, content])}`
