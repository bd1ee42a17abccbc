/**
 * The header block of one part of a form (RFC 7578, section 4), and the boundary that parts are told apart by.
 */

export interface PartHead {
  /** The field's name. */
  readonly name: string
  /** The last segment of the name that the client gave the file; undefined when it gave none. */
  readonly filename: string | undefined
  /** As the client wrote it. */
  readonly contentType: string | undefined
  /** All headers by lower-case name. */
  readonly headers: { readonly [name: string]: string | undefined }
}

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const parameter = new RegExp(`[ \\t]*;[ \\t]*(${token})[ \\t]*=[ \\t]*(?:"((?:[^"\\\\]|\\\\[^])*)"|([^\\s";]*))[ \\t]*`, "y")
const value = /^[ \t]*([!#$%&'*+\-./^_`|~0-9A-Za-z]+)[ \t]*/

interface Parameterised {
  /** In lower case. */
  readonly value: string
  /** By lower-case name; quotes and their escapes are undone. */
  readonly parameters: ReadonlyMap<string, string>
}

/** A header value with parameters; undefined when it is malformed or says a parameter twice. */
const parseParameterised = (text: string): Parameterised | undefined => {
  const start = value.exec(text)
  if (start === null) return undefined
  const parameters = new Map<string, string>()
  parameter.lastIndex = start[0].length
  while (parameter.lastIndex < text.length) {
    const match = parameter.exec(text)
    if (match === null) return undefined
    const [, name = "", quoted, plain = ""] = match
    const key = name.toLowerCase()
    if (parameters.has(key)) return undefined
    // A backslash before anything but a quote or itself is part of a path from Windows.
    parameters.set(key, quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, "$1"))
  }
  return { value: (start[1] ?? "").toLowerCase(), parameters }
}

/** RFC 2046, section 5.1.1: up to 70 characters, of which the last is no space. */
const boundary = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/

/**
 * The boundary that a `Content-Type` announces: undefined when it is another type than `multipart/form-data`, empty
 * when the boundary is missing or malformed.
 */
export const boundaryOf = (contentType: string | undefined): string | undefined => {
  if (contentType === undefined || !/^[ \t]*multipart\/form-data[ \t]*(?:;|$)/i.test(contentType)) return undefined
  const announced = parseParameterised(contentType)?.parameters.get("boundary") ?? ""
  return boundary.test(announced) ? announced : ""
}

const decodeExtended = (text: string): string | undefined => {
  const match = /^utf-8'[^']*'(.*)$/i.exec(text)
  if (match === null) return undefined
  try {
    return decodeURIComponent(match[1] ?? "")
  } catch {
    return undefined
  }
}

/** What browsers escape in names (HTML, multipart/form-data encoding algorithm). */
const unescape = (text: string): string => text.replace(/%(?:22|0D|0A)/gi, (escape) => decodeURIComponent(escape))

/** RFC 7578, section 4.2: directories that a client adds are not to be believed. */
const baseName = (text: string): string => text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1)

const parseLines = (block: string): Map<string, string> | undefined => {
  const headers = new Map<string, string>()
  // A line that begins with white space goes on with the one before.
  for (const line of block.replace(/\r\n[ \t]+/g, " ").split("\r\n")) {
    if (line === "") continue
    const match = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*)$/.exec(line)
    if (match === null) return undefined
    const name = (match[1] ?? "").toLowerCase()
    if (headers.has(name)) return undefined
    headers.set(name, (match[2] ?? "").trimEnd())
  }
  return headers
}

/** A header block; a text that says what is wrong with it when it cannot be read. */
export const parse = (block: Uint8Array): PartHead | string => {
  const headers = parseLines(Buffer.from(block).toString("utf8"))
  if (headers === undefined) return "has a part with malformed headers"
  const disposition = parseParameterised(headers.get("content-disposition") ?? "")
  const name = disposition?.parameters.get("name")
  if (disposition?.value !== "form-data" || name === undefined) {
    return "has a part without Content-Disposition: form-data and a name"
  }
  const encoding = headers.get("content-transfer-encoding")
  if (encoding !== undefined && !/^(?:7bit|8bit|binary)$/i.test(encoding)) {
    return "has a part with a Content-Transfer-Encoding, which forms no longer have"
  }
  const extended = decodeExtended(disposition.parameters.get("filename*") ?? "")
  const filename = baseName(extended ?? unescape(disposition.parameters.get("filename") ?? ""))
  return {
    name: unescape(name),
    filename: filename === "" ? undefined : filename,
    contentType: headers.get("content-type"),
    headers: Object.fromEntries(headers)
  }
}
