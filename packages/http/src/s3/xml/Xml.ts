/**
 * Writes the XML documents of the S3 API.
 */

/** An element: its name, maybe with attributes, and its text or its children. An element whose content is undefined is left out. */
export type Element = readonly [name: string, content: Content]
export type Content = string | number | boolean | undefined | ReadonlyArray<Element | Markup>

/** Elements that are written already, for long lists: an element as a tuple costs more than its text. */
export interface Markup {
  readonly markup: string
}

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

/** Most texts have none of these. */
// oxlint-disable-next-line no-control-regex
const special = /[&<>"'\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF]/

/** Returns a text as the content of an element. Characters that XML cannot express become U+FFFD. */
export const escape = (text: string): string =>
  special.test(text)
    ? text.replace(unwritable, "\uFFFD").replace(/[&<>"'\r]/g, (character) => replacements[character] ?? "")
    : text

const writeContent = (content: Exclude<Content, undefined>): string =>
  typeof content === "object" ? content.map(write).join("") : escape(String(content))

const isMarkup = (part: Element | Markup): part is Markup => "markup" in part

const write = (part: Element | Markup): string => {
  if (isMarkup(part)) return part.markup
  const [name, content] = part
  if (content === undefined) return ""
  const end = name.indexOf(" ")
  return `<${name}>${writeContent(content)}</${end === -1 ? name : name.slice(0, end)}>`
}

/** Returns elements as they are written. */
export const markup = (elements: ReadonlyArray<Element>): string => elements.map(write).join("")

/** Returns a document with this root. */
export const document = (name: string, content: string | ReadonlyArray<Element | Markup>): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="${namespace}">${writeContent(content)}</${name}>`

/** Returns a document without a namespace, as errors are. */
export const plainDocument = (name: string, content: ReadonlyArray<Element>): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${write([name, content])}`
