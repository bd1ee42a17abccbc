/**
 * Reads XML documents that clients or services send. Refuses document types, so that there are no entities beyond those of XML itself.
 */
import { SaxesParser } from "saxes"

/** An element without its namespaces. No document of S3 or Azure depends on them. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: ReadonlyArray<XmlElement>
  /** Empty for an element with children. */
  readonly text: string
}

interface OpenElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Array<OpenElement>
  text: string
}

/** What a document of an operation may have. */
export interface Limits {
  readonly maxBytes: number
  readonly maxElements: number
  /** The most UTF-16 code units of the text of an element: 8,192 when absent. A key of S3 has 1,024 bytes at most. */
  readonly maxText?: number | undefined
}

export interface Reader {
  /** Reads the next part of the text. Returns false when the document is not valid; no more may be written then. */
  readonly write: (text: string) => boolean
  /** Ends the text. Returns the root of the document; undefined when the text is none. */
  readonly end: () => XmlElement | undefined
}

/** The deepest nesting of a document. Those of S3 have five levels. */
const maxDepth = 16
/** The most attributes of an element. Those of S3 have two: namespaces, and the type of a grantee. */
const maxAttributes = 16
const defaultMaxText = 8 * 1024
/**
 * The most UTF-16 code units without the end of a tag, an attribute or a text. The parser collects them in a form that takes some 30 bytes
 * for each line break and each reference.
 */
const maxTokenLength = 16 * 1024

const localName = (name: string): string => name.slice(name.indexOf(":") + 1)

/** The attributes of an element that has none. */
const none: OpenElement["attributes"] = {}

/**
 * Makes the reader of one document. `take` gets each element when it ends, and returns whether the document leaves it out: a large
 * document of many elements then takes little memory.
 */
export const make = (
  { maxElements, maxText = defaultMaxText }: Omit<Limits, "maxBytes">,
  take: (element: XmlElement) => boolean = () => false
): Reader => {
  const parser = new SaxesParser({ xmlns: false, fragment: false })
  const open: Array<OpenElement> = []
  let root: OpenElement | undefined
  let elements = 0
  let attributeCount = 0
  /** Code units since the last token ended. */
  let pending = 0
  const fail = () => {
    throw new SyntaxError("not a valid document")
  }
  const endToken = () => void (pending = 0)
  // With more handlers than these, V8 keeps the parser as a dictionary, and it takes four times as long.
  parser.on("error", fail)
  parser.on("doctype", fail)
  parser.on("attribute", () => {
    endToken()
    if (++attributeCount > maxAttributes) fail()
  })
  parser.on("opentag", ({ attributes, name }) => {
    endToken()
    if (open.length >= maxDepth || ++elements > maxElements) fail()
    const own = attributeCount === 0 ? none : attributes
    attributeCount = 0
    const element: OpenElement = { name: localName(name), attributes: own, children: [], text: "" }
    const parent = open.at(-1)
    if (parent !== undefined) {
      // The text of an element with children separates them. A document of many parts has much of it.
      parent.text = ""
      parent.children.push(element)
    }
    root ??= element
    open.push(element)
  })
  parser.on("closetag", () => {
    endToken()
    const element = open.pop()
    if (element !== undefined && take(element)) open.at(-1)?.children.pop()
  })
  const addText = (part: string) => {
    endToken()
    const element = open.at(-1)
    if (element === undefined || element.children.length > 0) return
    if (element.text.length + part.length > maxText) fail()
    element.text += part
  }
  parser.on("text", addText)
  parser.on("cdata", addText)

  const attempt = (step: () => void): boolean => {
    try {
      step()
      return true
    } catch {
      return false
    }
  }
  return {
    write: (text) =>
      attempt(() => {
        pending += text.length
        parser.write(text)
        if (pending > maxTokenLength) fail()
      }),
    end: () => (attempt(() => parser.close()) ? root : undefined)
  }
}

/** Returns the root of a small document; undefined when the text is none. */
export const read = (text: string, limits: Pick<Limits, "maxElements">): XmlElement | undefined => {
  const reader = make(limits)
  return reader.write(text) ? reader.end() : undefined
}

/** Returns the first child of this name; undefined when there is none. */
export const child = ({ children }: XmlElement, name: string): XmlElement | undefined =>
  children.find((found) => found.name === name)

/** Returns the text of the first child of this name; undefined when there is none. */
export const textOf = (element: XmlElement, name: string): string | undefined => child(element, name)?.text
