/**
 * Reads the XML documents that clients send. Refuses document types, so that there are no entities beyond those of XML itself.
 */
import { SaxesParser } from "saxes"

/** An element without its attributes and namespaces. No document that clients send depends on them. */
export interface XmlElement {
  readonly name: string
  readonly children: ReadonlyArray<XmlElement>
  readonly text: string
}

interface OpenElement {
  readonly name: string
  readonly children: Array<OpenElement>
  text: string
}

/** The deepest nesting of a document. Those of S3 have five levels. */
const maxDepth = 16
/** The most elements of a document. Those of 10,000 parts with all checksums have 80,001. */
const maxElements = 100_000

const localName = (name: string): string => name.slice(name.indexOf(":") + 1)

/** Returns the root of a document; undefined when the text is none. */
export const read = (text: string): XmlElement | undefined => {
  const parser = new SaxesParser({ xmlns: false, fragment: false })
  const open: Array<OpenElement> = []
  let root: OpenElement | undefined
  let elements = 0
  const fail = () => {
    throw new SyntaxError("not a valid document")
  }
  parser.on("error", fail)
  parser.on("doctype", fail)
  parser.on("opentag", ({ name }) => {
    if (open.length >= maxDepth || ++elements > maxElements) fail()
    const element: OpenElement = { name: localName(name), children: [], text: "" }
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
  })
  parser.on("closetag", () => void open.pop())
  const addText = (part: string) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += part
  }
  parser.on("text", addText)
  parser.on("cdata", addText)
  try {
    parser.write(text).close()
  } catch {
    return undefined
  }
  return root
}

/** Returns the first child of this name; undefined when there is none. */
const child = ({ children }: XmlElement, name: string): XmlElement | undefined =>
  children.find((found) => found.name === name)

/** Returns the text of the first child of this name; undefined when there is none. */
export const textOf = (element: XmlElement, name: string): string | undefined => child(element, name)?.text
